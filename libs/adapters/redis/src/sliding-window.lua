-- The rate limiter as one script: each decision is atomic across all processes, and uses the server's clock.
--
-- ARGV: the rule's `allowed` and `windowSeconds`, `consume` or `peek`, and, in tests, the time. Returns four integers:
-- whether the request is admitted (1 or 0), how many remain, the seconds until the oldest admission leaves the window,
-- and the seconds until a request is admitted.
--
-- KEYS[1], the log, lists the last admissions individually, newest first. KEYS[2] lists counts of earlier admissions,
-- oldest first. An element is a time, in milliseconds since 2020 in five bytes; in a count, the number follows as text.
-- No admission is missing or counted as older than it is: a request may be denied for two milliseconds too long, but
-- is never admitted early. Up to a limit of 1,000, the log decides. A higher limit counts all admissions in
-- sub-windows, at most 128 per window. Admissions outside of the window are retained for a later rule in a few counts:
-- the older, the coarser.
local EXACT_MAX, ROOM, SUB_WINDOWS, OLDER_MAX = 1000, 20, 126, 16
local EPOCH, LONGEST = 1577836800000, 2678400000

local log, counts, allowed, window, consumes = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2] * 1000, ARGV[3] == 'consume'
local step, time = math.ceil(window / SUB_WINDOWS), redis.call('TIME')
local exactNow = tonumber(ARGV[4]) or time[1] * 1000 + time[2] / 1000
local now, admission = math.floor(exactNow), math.ceil(exactNow)

local function encode(at, count) return struct.pack('>I5', at - EPOCH) .. (count or '') end
local function decode(text) return EPOCH + struct.unpack('>I5', text), tonumber(string.sub(text, 6)) end
local function timeInLog(index) return (decode(redis.call('LINDEX', log, index))) end
local function isSameStep(a, b) return math.floor(a / step) == math.floor(b / step) end
local function load(key)
  local entries = redis.call('LRANGE', key, 0, -1)
  for i, text in ipairs(entries) do entries[i] = {decode(text)} end
  return entries
end
local function save(key, entries)
  local texts = {}
  for i, entry in ipairs(entries) do texts[i] = encode(unpack(entry)) end
  redis.call('DEL', key)
  if #texts > 0 then redis.call('RPUSH', key, unpack(texts)) end
end

local size, older = redis.call('LLEN', log), load(counts)
local newest = size > 0 and timeInLog(0) or #older > 0 and older[#older][1] or now
local setBack, ttl = newest - admission, math.max(redis.call('PTTL', log), redis.call('PTTL', counts))
-- The longest window evaluated for the subject, which expires that long after its last admission. In whole seconds.
local longest = math.max(window, math.floor((ttl - setBack + 500) / 1000) * 1000)
if setBack > 0 then -- the server's clock was set back: shift every admission with it
  for _, key in ipairs(KEYS) do
    older = load(key)
    for _, entry in ipairs(older) do entry[1] = entry[1] - setBack end
    save(key, older)
  end
  newest = admission
end

-- Merges counts of one sub-window, and surplus counts older than `age`: the two with the least span for their age first.
local function compact(age)
  local entries, old = {}, 0
  for _, entry in ipairs(older) do
    local last = entries[#entries]
    if last and isSameStep(last[1], entry[1]) then
      last[1], last[2] = entry[1], last[2] + entry[2]
    elseif now - entry[1] < LONGEST then
      entries[#entries + 1] = entry
      if now - entry[1] >= age then old = old + 1 end
    end
  end
  for length = old, OLDER_MAX + 1, -1 do
    local bestIndex, leastLoss = 2, math.huge
    for i = 2, length - 1 do
      local loss = (entries[i + 1][1] - entries[i - 1][1]) / (now - entries[i - 1][1] + 1)
      if loss < leastLoss then bestIndex, leastLoss = i, loss end
    end
    local mergedEntry = table.remove(entries, bestIndex)
    entries[bestIndex][2] = entries[bestIndex][2] + mergedEntry[2]
  end
  older = entries
  save(counts, older)
end

-- The number of log entries in the window, by bisection; then the number including the counts.
local recent, upper = 0, size
while recent < upper do
  local middle = math.floor((recent + upper) / 2)
  if now - timeInLog(middle) < window then recent = middle + 1 else upper = middle end
end
local function countWindow()
  local total = recent
  for _, entry in ipairs(older) do if now - entry[1] < window then total = total + entry[2] end end
  return total
end
local count = countWindow()
local isAdmitted = count < allowed
if consumes and isAdmitted then
  if allowed <= EXACT_MAX then
    local isFull = redis.call('LPUSH', log, encode(admission)) == EXACT_MAX + ROOM
    if isFull then older[#older + 1] = {timeInLog(EXACT_MAX), ROOM} end
    if isFull then redis.call('LTRIM', log, 0, EXACT_MAX - 1) end
    if isFull or #older > OLDER_MAX then compact(0) end
    recent = recent + 1
  elseif size == 0 and #older > 0 and isSameStep(newest, admission) then
    older[#older] = {admission, older[#older][2] + 1}
    redis.call('LSET', counts, -1, encode(unpack(older[#older])))
  else
    for i = size - 1, 0, -1 do older[#older + 1] = {timeInLog(i), 1} end
    older[#older + 1] = {admission, 1}
    redis.call('DEL', log)
    compact(window)
    recent = 0
  end
  newest = admission
  count = countWindow()
end

local neededTtl = longest - (now - newest)
if setBack > 0 or (consumes and isAdmitted) or neededTtl > ttl then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, math.min(LONGEST, math.max(neededTtl, ttl))) end
end

-- Returns the seconds until the oldest of the newest `number` admissions leaves the window.
local function secondsUntil(number)
  local i, remaining = #older + 1, number - recent
  while remaining > 0 do i = i - 1; remaining = remaining - older[i][2] end
  return math.max(1, math.ceil(((older[i] and older[i][1] or timeInLog(number - 1)) + window - admission) / 1000))
end
local reset, retry = count > 0 and secondsUntil(count) or 0, count >= allowed and secondsUntil(allowed) or 0
return {isAdmitted and 1 or 0, math.max(0, allowed - count), reset, retry}
