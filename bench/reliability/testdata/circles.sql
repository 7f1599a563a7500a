-- The pubs in each circle, with their distances on the sphere in metres.
CREATE EXTENSION postgis;
CREATE TABLE pubs (uid text, latitude float8, longitude float8,
	place geography GENERATED ALWAYS AS (ST_MakePoint(longitude, latitude)::geography) STORED);
CREATE TABLE circles (id int, latitude float8, longitude float8, metres float8,
	place geography GENERATED ALWAYS AS (ST_MakePoint(longitude, latitude)::geography) STORED);
COPY pubs (uid, latitude, longitude) FROM STDIN;
{{.pubs}}\.
COPY circles (id, latitude, longitude, metres) FROM STDIN;
{{.circles}}\.
CREATE INDEX ON pubs USING gist (place);
ANALYZE;
COPY (SELECT c.id, p.uid, ST_Distance(p.place, c.place, false)
	FROM circles c JOIN pubs p ON ST_DWithin(p.place, c.place, c.metres, false)) TO STDOUT;
