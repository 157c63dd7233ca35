-- release: a worker gives the event back unfinished, its row being safe. The mark of a start goes with the key.
--
-- KEYS[1]  the event
-- ARGV[1]  token of the lease
-- Returns  1 done, 0 lost (the key holds something else)
-- Caller   RedisIdempotencyStore.release

local known = redis.call('GET', KEYS[1])

-- None is what a release leaves behind, so a repeat cannot be told from a first call; either way the token holds nothing.
if not known then
  return 1
end

-- An expired lease that nobody took over is released too. Anybody else's is left alone.
if string.match(known, '^P%d%d%d+:%d+:(.*)$') ~= ARGV[1] then
  return 0
end

redis.call('DEL', KEYS[1])
return 1
