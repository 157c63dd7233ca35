-- claim: a gateway marks an event that nobody knows as RECEIVED.
--
-- KEYS[1]  the event
-- ARGV[1]  token of this claim
-- ARGV[2]  life of RECEIVED in milliseconds
-- Returns  0 claimed, 1 received (another's claim), 2 queued, 3 processing, 4 success
-- Caller   RedisIdempotencyStore.claim
--
-- A value is one letter for the state, then what belongs to it, then the token that led there:
--   R<token>  Q<token>  S<token>  P<started><earlier start><lease until>:<start memory>:<token>

local known = redis.call('GET', KEYS[1]) or ''
local state = string.sub(known, 1, 1)

if state == 'R' and known ~= 'R' .. ARGV[1] then
  return 1
elseif state == 'Q' then
  return 2
elseif state == 'P' then
  -- Also when the lease has expired: a worker had it, so the event is durable, and a claim in its place would wipe the
  -- mark of an unfinished start.
  return 3
elseif state == 'S' then
  return 4
end

-- Nothing, this very claim (its reply may have been lost), or a value that is not ours.
redis.call('SET', KEYS[1], 'R' .. ARGV[1], 'PX', ARGV[2])
return 0
