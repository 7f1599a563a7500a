-- Sends the requests whose targets the file in the first argument lists, in their order, over and over.

local requests, count, at = {}, 0, 0

function init(args)
   for target in io.lines(args[1]) do
      count = count + 1
      requests[count] = wrk.format(nil, target)
   end
end

function request()
   at = at % count + 1
   return requests[at]
end

function done(summary)
   local e = summary.errors
   io.write(string.format(
      '\nversus {"requests":%d,"microseconds":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
      summary.requests, summary.duration, e.connect, e.read, e.write, e.status, e.timeout))
end
