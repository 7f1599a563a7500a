-- A directory and the requests about it. The column words is the folded text with a space before each word, so that
-- ' red% lion%' finds names as somebody types them; the trigram index serves it.

CREATE EXTENSION postgis;
CREATE EXTENSION pg_trgm;

CREATE TABLE pubs (
	uid text PRIMARY KEY,
	name text NOT NULL,
	location text,
	trading text,
	latitude double precision,
	longitude double precision,
	common_category text,
	beer double precision,
	atmos double precision,
	fengshui double precision,
	service double precision,
	toilets double precision,
	total double precision,
	review_count bigint NOT NULL,
	rated boolean NOT NULL,
	words text NOT NULL,
	place geography(Point, 4326) GENERATED ALWAYS AS (ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography) STORED
);

CREATE TABLE requests (
	id integer PRIMARY KEY,
	uid text,
	pattern text,
	first integer NOT NULL,
	latitude double precision,
	longitude double precision,
	metres double precision,
	place geography(Point, 4326) GENERATED ALWAYS AS (ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography) STORED
);
