-- What scripts see: the functions of Lua 5.1 as Redis offers them, over those of 5.4. Called once, with the native
-- libraries, the server's functions and the loaders of the other libraries; scripts see none of these.
local base, string, table, math, coroutine, debug, host, bit, cjson, struct, cmsgpack, functions = ...
local type, next, error, select, tostring, tonumber, rawget, rawset, setmetatable, getmetatable, xpcall =
  base.type, base.next, base.error, base.select, base.tostring, base.tonumber, base.rawget, base.rawset,
  base.setmetatable, base.getmetatable, base.xpcall
local format, find, match, sub, gsub, rep, lower =
  string.format, string.find, string.match, string.sub, string.gsub, string.rep, string.lower
local mathtype, floor, ceil = math.type, math.floor, math.ceil
local getinfo = debug.getinfo

-- The real tables of those that are read alone; see below.
local real = setmetatable({}, { __mode = "k" })

-- Errors: their place is that of the script's frame, their words are those of 5.1.

-- The error of a script that is killed ends with this; it must pass every handler.
local killed = "\3$"
local owned = "=\1"

local function scriptframe(level)
  for i = level, level + 50 do
    local info = getinfo(i, "Sl")
    if not info then return nil end
    if info.what ~= "C" and info.source ~= owned then return info end
  end
end

-- Lua's own are shorter. In a longer one the patterns below could be looked for without end.
local WORDSMAX = 4096

local function words(text)
  if #text > WORDSMAX then return text end
  text = gsub(text, "attempt to perform arithmetic on a (%w+) value %((%w+) '(.-)'%)",
    "attempt to perform arithmetic on %2 '%3' (a %1 value)")
  text = gsub(text, "attempt to (%w+) a (%w+) value %((%w+) '(.-)'%)", "attempt to %1 %3 '%4' (a %2 value)")
  text = gsub(text, "attempt to %l+ a '(%w+)' with a '(%w+)'", function(a, b) -- Of a text that is no number.
    local isfirst = b == "number" or (a ~= "number" and a ~= "string")
    return "attempt to perform arithmetic on a " .. (isfirst and a or b) .. " value"
  end)
  text = gsub(text, "invalid conversion '(.-)' to 'format'", "invalid option '%1' to 'format'")
  if find(text, "stack overflow", 1, true) then
    text = gsub(text, "stack overflow.*", "stack overflow")
  end
  return text
end

local function translated(e, level)
  if type(e) ~= "string" or find(e, killed) then return e end
  local rest = match(e, "^\1:%d+: (.*)$")
  if rest then
    local info = scriptframe(level + 1)
    e = info and info.short_src .. ":" .. info.currentline .. ": " .. rest or rest
  end
  return words(e)
end

local function handle(e) return translated(e, 2) end

-- Of a script that fails: the error as a table, with its place.
local function fail(e)
  if type(e) ~= "table" then
    if type(e) == "string" then e = translated(e, 2) else e = type(e) == "number" and format("%.14g", e) or tostring(e) end
    e = { err = "ERR " .. e }
  end
  local info = scriptframe(2)
  if info and not e.line and not real[e] then
    e.source = #info.source <= 60 and info.source or info.short_src
    e.line = info.currentline
  end
  return e
end

-- Tables that are read alone: empty ones before the real ones.

local readonlytext = "Attempt to modify a readonly table"
local function deny() error(readonlytext, 2) end

local function readonly(t)
  local proxy = setmetatable({}, { __index = t, __newindex = deny, __metatable = false })
  real[proxy] = t
  return proxy
end

-- Numbers: all are floats in 5.1, and whole ones have no point.

local function text(v) -- An operand of the concatenation.
  if type(v) == "number" then return format("%.14g", v) end
  return v
end

local specials = {
  inf = math.huge, infinity = math.huge, nan = -(0 / 0),
}
local longest = #"infinity"

-- By few and simple looks: the text may be long.
local function special(v)
  if not (find(v, "n", 1, true) or find(v, "N", 1, true)) then return nil end
  local sign, name, behind = match(v, "^([+-]?)(%a+)()", (find(v, "%S")))
  local n = name and #name <= longest and specials[lower(name)]
  if not n then return nil end
  if not (find(v, "^%s*$", behind) or n ~= n and find(v, "^%([%w_]*%)%s*$", behind)) then return nil end
  return sign == "-" and -n or n
end

local hexmin = #"0x" + 16 -- Characters of what may exceed an integer, which would wrap around.

-- A number, or a text that is one in 5.1, as C reads it: never an integer; the sign of a nothing; those without digits;
-- up to a zero byte.
local function float(v)
  local n = tonumber(v)
  if mathtype(n) == "float" then return n end
  if n then
    if type(v) == "number" then return n + 0.0 end
    if #v >= hexmin and find(v, "^%s*[+-]?0[xX]") then return tonumber(match(v, "^%s*(.-)%s*$") .. "p0") end
    if n == 0 and find(v, "-", 1, true) then return -0.0 end
    return n + 0.0
  end
  if type(v) ~= "string" then return nil end
  local zero = find(v, "\0", 1, true)
  if zero then return float(sub(v, 1, zero - 1)) end
  return special(v)
end

local function number(v) -- A bound of a loop.
  local n = type(v) == "string" and float(v)
  return n and n + 0.0 or v -- 5.1 loses the sign of a nothing.
end

local function whole(v) -- An argument that becomes an integer, as a cast in C.
  if v == nil or mathtype(v) == "integer" then return v end
  local n = float(v)
  if not n then return v end
  if n ~= n or n >= 0x1p63 or n < -0x1p63 then return math.mininteger end
  return n >= 0 and floor(n) or ceil(n)
end

local function unsigned(v) -- The same, to an integer without a sign.
  local n = float(v)
  if not n or mathtype(v) == "integer" or not (n >= 0x1p63) then return whole(v) end
  return n >= 0x1p64 and 0 or floor(n - 0x1p63) | math.mininteger
end

local function three(a, b, c) return a, b, c end
local function pass(...) return ... end

local G = {}
local environment = readonly(G)

-- 4 and 5: what the translated text of a script begins with.
local function finishin(loaded, globals) return loaded(text, number, three, pass, globals) end
local function finish(loaded) return finishin(loaded, environment) end

local missing = {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
}
setmetatable(G, missing)

local function bad(position, name, wanted, v)
  error(format("bad argument #%d to '%s' (%s expected, got %s)", position, name, wanted, type(v)), 3)
end

-- The basic functions.

rawset(G, "_G", environment)
rawset(G, "_VERSION", "Lua 5.1")
for _, name in next, { "error", "rawequal", "select", "type" } do rawset(G, name, base[name]) end

rawset(G, "assert", function(...)
  local v, message = ...
  if v then return ... end
  if message == nil then error("assertion failed!", 2) end
  if type(message) == "number" then message = text(message) end
  if type(message) ~= "string" then bad(2, "assert", "string", message) end
  error(message, 2)
end)

rawset(G, "tostring", function(...)
  local v = ...
  if type(v) == "number" then return format("%.14g", v) end
  return tostring(...)
end)

rawset(G, "tonumber", function(...)
  local v, radix = ...
  if radix ~= nil then
    radix = whole(radix)
    if type(v) == "number" then v = format("%.14g", v) end
    if radix ~= 10 then -- As C's function for numbers without sign reads it.
      local zero = type(v) == "string" and find(v, "\0", 1, true)
      if zero then v = sub(v, 1, zero - 1) end
      if radix == 16 and type(v) == "string" then v = gsub(v, "^(%s*-?)0[xX]", "%1") end
      local n = tonumber(v, radix)
      return n and (n < 0 and n + 0x1p64 or n + 0.0)
    end
  end
  if select("#", ...) == 0 then error("bad argument #1 to 'tonumber' (value expected)", 2) end
  return float(v)
end)

rawset(G, "next", function(t, key)
  if type(t) ~= "table" then bad(1, "next", "table", t) end
  return next(real[t] or t, key)
end)

rawset(G, "pairs", function(t)
  if type(t) ~= "table" then bad(1, "pairs", "table", t) end
  if real[t] then return G.next, t, nil end
  return next, t, nil
end)

rawset(G, "ipairs", function(t)
  if type(t) ~= "table" then bad(1, "ipairs", "table", t) end
  return base.ipairs(t)
end)

rawset(G, "rawget", function(t, key)
  if type(t) ~= "table" then bad(1, "rawget", "table", t) end
  return rawget(real[t] or t, key)
end)

rawset(G, "rawset", function(t, key, v)
  if type(t) ~= "table" then bad(1, "rawset", "table", t) end
  if real[t] then error(readonlytext, 0) end
  return rawset(t, key, v)
end)

local stringmeta = getmetatable("")

-- Texts in arithmetic: 5.4 makes integers of them, which wrap around, and cannot be divided by nothing.
local function arithmetic(name, operate)
  rawset(stringmeta, name, function(a, b)
    local x, y = float(a), float(b)
    if x and y then return operate(x, y) end
    local meta = type(b) ~= "string" and debug.getmetatable(b)
    local other = meta and rawget(meta, name)
    if other then return other(a, b) end
    error("attempt to perform arithmetic on a " .. (x and type(b) or type(a)) .. " value", 2)
  end)
end
arithmetic("__add", function(x, y) return x + y end)
arithmetic("__sub", function(x, y) return x - y end)
arithmetic("__mul", function(x, y) return x * y end)
arithmetic("__div", function(x, y) return x / y end)
arithmetic("__mod", function(x, y) return x % y end)
arithmetic("__pow", function(x, y) return x ^ y end)
arithmetic("__unm", function(x) return -x end)

local sharedmeta = readonly({ __index = nil }) -- What scripts see of it.

rawset(G, "getmetatable", function(...)
  local v = ...
  if type(v) == "string" then return sharedmeta end
  if type(v) == "table" then
    if real[v] then return nil end
    return getmetatable(v)
  end
  return nil
end)

-- A finalizer would run at any time, where no hook looks after it.
rawset(G, "setmetatable", function(t, meta)
  if type(t) ~= "table" then bad(1, "setmetatable", "table", t) end
  if real[t] then error(readonlytext, 0) end
  if type(meta) ~= "table" then return setmetatable(t, meta) end
  local finalizer = rawget(meta, "__gc")
  if finalizer == nil then return setmetatable(t, meta) end
  rawset(meta, "__gc", nil)
  local isset, result = base.pcall(setmetatable, t, meta)
  rawset(meta, "__gc", finalizer)
  if not isset then error(result, 0) end
  return result
end)

-- As in Redis: of an error that is a table with a text, the text is returned.
local function plain(isdone, e, ...)
  if not isdone and type(e) == "table" then
    local message = rawget(e, "err")
    if type(message) == "string" then return false, message end
  end
  return isdone, e, ...
end

rawset(G, "pcall", function(f, ...) return plain(xpcall(f, handle, ...)) end)

rawset(G, "xpcall", function(f, handler)
  return xpcall(f, function(e)
    if type(e) == "string" and find(e, killed) then return e end
    return handler(translated(e, 2))
  end)
end)

local function compiler(ending)
  local function compile(chunk, name)
    local isloaded, loaded = host.compile(chunk, name)
    if isloaded then return ending(loaded) end
    return nil, loaded
  end

  local function loadstring(chunk, name)
    if type(chunk) == "number" then chunk = text(chunk) end
    if type(chunk) ~= "string" then bad(1, "loadstring", "string", chunk) end
    return compile(chunk, name == nil and chunk or tostring(name))
  end

  local function load(reader, name)
    if type(reader) ~= "function" then bad(1, "load", "function", reader) end
    local parts = {}
    while true do
      local part = reader()
      if part == nil or part == "" then break end
      if type(part) ~= "string" then error("reader function must return a string", 2) end
      parts[#parts + 1] = part
    end
    return compile(table.concat(parts), name == nil and "=(load)" or tostring(name))
  end

  return { loadstring = loadstring, load = load }
end
for name, v in next, compiler(finish) do rawset(G, name, v) end

rawset(G, "collectgarbage", function(option)
  if option == "count" then return base.collectgarbage("count") end
  return 0
end)

rawset(G, "gcinfo", function() return floor(base.collectgarbage("count")) end)

rawset(G, "unpack", function(t, i, j)
  if type(t) ~= "table" then bad(1, "unpack", "table", t) end
  return table.unpack(t, whole(i), whole(j))
end)

-- string

local s = {}
for _, name in next, { "len", "lower", "upper", "reverse" } do
  local f = string[name]
  s[name] = function(v) return f(text(v)) end
end
s.byte = function(v, i, j) return string.byte(text(v), whole(i), whole(j)) end
s.sub = function(v, i, j) return sub(text(v), whole(i), whole(j)) end
s.rep = function(v, n)
  if v == "" then return "" end -- The native one would count to n, and no hook would look after it.
  return rep(text(v), whole(n))
end

local function from(v, init) -- 5.4 finds nothing from behind the end on, not even what is empty.
  init = whole(init)
  return type(init) == "number" and type(v) == "string" and init > #v + 1 and #v + 1 or init
end

s.find = function(v, p, init, plain)
  v = text(v)
  return find(v, text(p), init and from(v, init), plain)
end

s.match = function(v, p, init)
  v = text(v)
  return match(v, text(p), init and from(v, init))
end

-- In 5.1 a match may be empty where the one before has ended, in 5.4 it may not.
s.gmatch = function(v, p)
  v, p = text(v), text(p)
  if type(v) ~= "string" or type(p) ~= "string" then return string.gmatch(v, p) end -- An error.
  if sub(p, 1, 1) == "^" then p = "%" .. p end -- It is no anchor here.
  local at = 1
  local function taken(start, stop, ...)
    if not start then
      at = #v + 2
      return nil
    end
    at = (stop < start and start or stop) + 1
    if select("#", ...) == 0 then return sub(v, start, stop) end
    return ...
  end
  return function()
    if at > #v + 1 then return nil end
    return taken(find(v, p, at))
  end
end
s.gfind = s.gmatch

s.char = function(...)
  local codes = { ... }
  for i = 1, select("#", ...) do codes[i] = whole(codes[i]) end
  return string.char(table.unpack(codes, 1, select("#", ...)))
end

local function mayBeEmpty(p) -- Whether a match may be, at a guess.
  return find(p, "[*?$-]") or find(p, "%%[f%d]") or not find(p, "[^()^]")
end

-- A text with "%1" and its like; before another character the sign is nothing, and at the end a zero byte.
local function expanded(by, found, ...)
  local captures = { ... }
  if select("#", ...) == 0 then captures[1] = found end
  captures[0] = found
  return (gsub(by, "%%(.?)", function(c)
    if c == "" then return "\0" end
    if not find(c, "%d") then return c end
    local capture = captures[tonumber(c)]
    if capture == nil then error("invalid capture index") end
    return text(capture)
  end))
end

local function replacer(by)
  if type(by) == "string" then
    if not find(by, "%", 1, true) then return function() return by end end
    return function(...) return expanded(by, ...) end
  end
  return function(found, ...)
    local v
    if type(by) == "table" then
      v = by[select("#", ...) == 0 and found or (...)]
    elseif select("#", ...) == 0 then
      v = by(found)
    else
      v = by(...)
    end
    if not v then return found end
    if type(v) ~= "string" and type(v) ~= "number" then error("invalid replacement value (a " .. type(v) .. ")") end
    return text(v)
  end
end

-- As 5.1 does it: an empty match may be where the one before has ended.
local function substituted(v, p, replace, most)
  local isanchored = sub(p, 1, 1) == "^"
  local parts, count, at = {}, 0, 1
  local function add(start, stop, ...)
    if not start then return false end
    count = count + 1
    parts[#parts + 1] = sub(v, at, start - 1)
    parts[#parts + 1] = replace(sub(v, start, stop), ...)
    at = stop + 1
    if stop < start then
      parts[#parts + 1] = sub(v, start, start)
      at = start + 1
    end
    return at <= #v + 1 and not isanchored
  end
  while count < most and add(find(v, p, at)) do end
  parts[#parts + 1] = sub(v, at)
  return table.concat(parts), count
end

local isreplacement = { string = true, table = true, ["function"] = true }
s.gsub = function(v, p, by, n)
  v, p, by, n = text(v), text(p), text(by), whole(n)
  local kind = type(by)
  if type(v) == "string" and type(p) == "string" and isreplacement[kind] and mayBeEmpty(p)
    and (n == nil or type(n) == "number") then
    return substituted(v, p, replacer(by), n or #v + 1)
  end
  if type(v) == "string" and type(p) == "string" and not isreplacement[kind] then
    error("bad argument #3 to 'gsub' (string/function/table expected)", 2)
  end
  local replacement = by
  if kind == "string" and find(by, "%", 1, true) then
    replacement = gsub(by, "%%(.?)", function(c) -- 5.4 refuses an escape of what needs none.
      if c == "" then return "\0" end
      if not find(c, "[%d%%]") then return c end
    end)
  elseif kind == "function" then
    replacement = function(...) return text((by(...))) end
  elseif kind == "table" then
    replacement = function(key) return text(by[key]) end
  end
  return gsub(v, p, replacement, n)
end

local quoted = { ["\0"] = "\\000", ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\\n", ["\r"] = "\\r" }
-- Flags that 5.4 refuses; C's function passes over them.
local passed = { d = "#", i = "#", u = "[#+ ]", o = "[+ ]", x = "[+ ]", X = "[+ ]", c = "[^-]", s = "[^-]" }
local PADDEDMAX = 100 -- A text as long as this is not cut by a zero byte.
local isinteger = { d = true, i = true, u = true, c = true, o = true, x = true, X = true }
local isunsigned = { u = true, o = true, x = true, X = true }
local isfloat = { e = true, E = true, f = true, g = true, G = true }
s.format = function(pattern, ...)
  pattern = text(pattern)
  if type(pattern) ~= "string" then bad(1, "format", "string", pattern) end
  local values, count, index, at = { ... }, select("#", ...), 0, 1
  while true do
    local start, stop, flags, width, point, precision, kind = find(pattern, "%%([-+ #0]*)(%d*)(%.?)(%d*)(.)", at)
    if not start then break end
    at = stop + 1
    if #flags > 5 then error("invalid format (repeated flags)", 2) end
    if flags ~= "" and passed[kind] then
      local kept = gsub(flags, passed[kind], "")
      pattern = sub(pattern, 1, start) .. kept .. sub(pattern, start + #flags + 1)
      stop = stop - #flags + #kept
      at = stop + 1
    end
    if #width > 2 or #precision > 2 then error("invalid format (width or precision too long)", 2) end
    if kind ~= "%" then
      index = index + 1
      local v = values[index]
      if isinteger[kind] then
        v = isunsigned[kind] and unsigned(v) or whole(v)
        values[index] = v
        if kind == "c" and stop == start + 1 and mathtype(v) == "integer" and v & 0xFF == 0 then -- As C's function has it.
          pattern = sub(pattern, 1, start) .. "s" .. sub(pattern, stop + 1)
          values[index] = ""
        end
        if kind == "u" then
          local n = values[index]
          local islong = mathtype(n) == "integer" and n < 0 -- Above the integers of 5.4.
          if islong then values[index] = format("%d%d", (n >> 1) // 5, n - (n >> 1) // 5 * 10) end
          pattern = sub(pattern, 1, stop - 1) .. (islong and "s" or "d") .. sub(pattern, stop + 1)
        end
      elseif isfloat[kind] and type(v) == "string" then
        values[index] = float(v) or v
      elseif kind == "s" or kind == "q" then
        v = text(v)
        if type(v) ~= "string" then
          local found = index > count and "no value" or type(v)
          error(format("bad argument #%d to 'format' (string expected, got %s)", index + 1, found), 2)
        end
        if kind == "q" then
          v = '"' .. gsub(v, '[%z"\\\n\r]', quoted) .. '"'
        elseif point ~= "" or #v < PADDEDMAX then
          v = match(v, "^[^%z]*") -- As C's function has it.
        end
        if kind == "q" or (#v >= PADDEDMAX and point == "") then -- The width says nothing.
          pattern = sub(pattern, 1, start - 1) .. "%s" .. sub(pattern, stop + 1)
          at = start + 2
        end
        values[index] = v
      end
    end
  end
  return format(pattern, table.unpack(values, 1, count))
end

rawset(G, "string", readonly(s))
rawset(stringmeta, "__index", s)
rawset(real[sharedmeta], "__index", G.string)

-- table

local t = {}

t.concat = function(list, separator, i, j)
  if type(list) ~= "table" then bad(1, "concat", "table", list) end
  i = whole(i) or 1
  j = whole(j) or #list
  local parts, count = {}, 0
  for k = i, j do
    local v = list[k]
    if type(v) == "number" then
      v = format("%.14g", v)
    elseif type(v) ~= "string" then
      error(format("invalid value (%s) at index %d in table for 'concat'", type(v), k), 2)
    end
    count = count + 1
    parts[count] = v
  end
  return table.concat(parts, separator == nil and "" or text(separator))
end

t.insert = function(list, ...)
  if type(list) ~= "table" then bad(1, "insert", "table", list) end
  local count, last = select("#", ...), #list + 1
  if count == 1 then
    list[last] = (...)
  elseif count == 2 then
    local position, v = ...
    position = whole(position)
    if type(position) ~= "number" then bad(2, "insert", "number", position) end
    if position > last then last = position end
    for i = last, position + 1, -1 do list[i] = list[i - 1] end
    list[position] = v
  else
    error("wrong number of arguments to 'insert'", 2)
  end
end

t.remove = function(list, position)
  if type(list) ~= "table" then bad(1, "remove", "table", list) end
  local last = #list
  position = position == nil and last or whole(position)
  if not (1 <= position and position <= last) then return end
  local v = list[position]
  for i = position, last - 1 do list[i] = list[i + 1] end
  list[last] = nil
  return v
end

t.maxn = function(list)
  local greatest = 0
  for key in next, list do
    if type(key) == "number" and key > greatest then greatest = key end
  end
  return greatest
end

t.getn = function(list)
  if type(list) ~= "table" then bad(1, "getn", "table", list) end
  return #list
end

t.setn = function() error("'setn' is obsolete", 2) end

t.foreach = function(list, f)
  for key, v in next, real[list] or list do
    local result = f(key, v)
    if result ~= nil then return result end
  end
end

t.foreachi = function(list, f)
  for i = 1, #list do
    local result = f(i, list[i])
    if result ~= nil then return result end
  end
end

t.sort = function(list, less)
  if real[list] then error(readonlytext, 2) end
  return table.sort(list, less)
end

rawset(G, "table", readonly(t))

-- math

local m = { pi = math.pi, huge = math.huge }

local function nonumber(name, position, ...)
  local v = (select(position, ...))
  local found = position > select("#", ...) and "no value" or type(v)
  error(format("bad argument #%d to '%s' (number expected, got %s)", position, name, found), 2)
end

-- Functions of one number, or of two.
local function one(name, f)
  m[name] = function(...)
    local x = ...
    if mathtype(x) ~= "float" then x = float(x) or nonumber(name, 1, ...) end
    return f(x)
  end
end

local function two(name, f)
  m[name] = function(...)
    local x, y = ...
    y = float(y) or nonumber(name, 2, ...) -- First, as in Redis.
    return f(float(x) or nonumber(name, 1, ...), y)
  end
end

local e = math.exp
for _, name in next, { "abs", "acos", "asin", "cos", "deg", "exp", "modf", "rad", "sin", "sqrt", "tan" } do
  one(name, math[name])
end
one("floor", function(x) return x == 0 and x or floor(x) + 0.0 end) -- A nothing keeps its sign.
one("ceil", function(x)
  local n = ceil(x) + 0.0
  return n == 0 and x * 0.0 or n
end)
one("atan", function(x) return math.atan(x) end)
one("log", function(x) return math.log(x) end)
one("log10", function(x) return math.log(x, 10) end)
one("sinh", function(x) return (e(x) - e(-x)) / 2 end)
one("cosh", function(x) return (e(x) + e(-x)) / 2 end)
one("tanh", function(x)
  if x > 20 then return 1.0 elseif x < -20 then return -1.0 end
  return (e(x) - e(-x)) / (e(x) + e(-x))
end)
two("atan2", math.atan)
two("pow", function(x, y) return x ^ y end)
two("fmod", math.fmod)
m.mod = m.fmod
two("ldexp", function(x, n) return x * 2.0 ^ whole(n) end)

local function chosen(name, f) -- 5.4 compares what it was given, a text too.
  return function(...)
    local list, count = { ... }, select("#", ...)
    for i = 1, count do
      if mathtype(list[i]) ~= "float" then list[i] = float(list[i]) or nonumber(name, i, ...) end
    end
    if count == 0 then nonumber(name, 1) end
    return f(table.unpack(list, 1, count))
  end
end
m.max, m.min = chosen("max", math.max), chosen("min", math.min)
one("frexp", function(x)
  if x == 0 or x ~= x or x == math.huge or x == -math.huge then return x, 0.0 end
  local exponent = 0.0
  local size = math.abs(x)
  while size >= 1 do size = size / 2 exponent = exponent + 1 end
  while size < 0.5 do size = size * 2 exponent = exponent - 1 end
  return x < 0 and -size or size, exponent
end)

-- The generator of Redis.
local seed = 0x330E
local function randomseed(n) seed = (whole(n) & 0xFFFFFFFF) << 16 | 0x330E end
one("randomseed", randomseed)
m.random = function(...)
  seed = seed * 0x5DEECE66D + 0xB & 0xFFFFFFFFFFFF
  local r = (seed >> 17) % 0x7FFFFFFF / 0x7FFFFFFF
  local count = select("#", ...)
  if count == 0 then return r end
  local low, high = ...
  if count == 1 then low, high = 1, whole(low)
  elseif count == 2 then low, high = whole(low), whole(high)
  else error("wrong number of arguments", 2) end
  if type(high) ~= "number" then bad(count, "random", "number", high) end
  if not (low <= high) then error(format("bad argument #%d to 'random' (interval is empty)", count), 2) end
  return floor(r * (high - low + 1)) + low + 0.0
end

rawset(G, "math", readonly(m))

-- coroutine

local c = {}
for _, name in next, { "create", "resume", "running", "status", "wrap", "yield" } do c[name] = coroutine[name] end
c.running = function()
  local thread, ismain = coroutine.running()
  if ismain then return nil end
  return thread
end
rawset(G, "coroutine", readonly(c))

-- redis

local r = {
  LOG_DEBUG = 0, LOG_VERBOSE = 1, LOG_NOTICE = 2, LOG_WARNING = 3,
  REPL_NONE = 0, REPL_AOF = 1, REPL_SLAVE = 2, REPL_REPLICA = 2, REPL_ALL = 3,
  REDIS_VERSION = "7.0.15", REDIS_VERSION_NUM = 0x0007000F,
}

r.call = function(...)
  local isdone, v, iscounted = host.call(...)
  if isdone then return v end
  error({ err = v, ignore_error_stats_update = iscounted }, 0)
end

r.pcall = function(...)
  local isdone, v, iscounted = host.call(...)
  if isdone then return v end
  return { err = v, ignore_error_stats_update = iscounted }
end

local function raise(message) error({ err = "ERR " .. message }, 0) end

r.error_reply = function(...)
  local message = ...
  if select("#", ...) ~= 1 or type(message) ~= "string" then return { err = "ERR wrong number or type of arguments" } end
  if sub(message, 1, 1) == "-" then message = sub(message, 2) end
  if not find(message, " ", 1, true) then message = "ERR " .. message end
  return { err = message }
end

r.status_reply = function(...)
  local message = ...
  if select("#", ...) ~= 1 or type(message) ~= "string" then return { err = "ERR wrong number or type of arguments" } end
  return { ok = message }
end

r.sha1hex = function(...)
  if select("#", ...) ~= 1 then raise("wrong number of arguments") end
  local v = text((...))
  local _, digest = host.sha1(type(v) == "string" and v or "")
  return digest
end

r.log = function(level, ...)
  if select("#", ...) == 0 then raise("redis.log() requires two arguments or more.") end
  if type(level) ~= "number" then raise("First argument must be a number (log level).") end
  if level < 0 or level > 3 then raise("Invalid debug level.") end
  local parts = {}
  for i = 1, select("#", ...) do
    local v = text((select(i, ...)))
    if type(v) == "string" then parts[#parts + 1] = v end
  end
  host.log(whole(level), table.concat(parts, " "))
end

r.setresp = function(...)
  if select("#", ...) ~= 1 then raise("redis.setresp() requires one argument.") end
  local version = whole((...))
  if version ~= 2 and version ~= 3 then raise("RESP version must be 2 or 3.") end
  host.setresp(version)
end

r.set_repl = function(...)
  if select("#", ...) ~= 1 then raise("redis.set_repl() requires two arguments.") end
  local flags = whole((...))
  if type(flags) ~= "number" or flags & ~3 ~= 0 then
    raise("Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
  end
end

r.acl_check_cmd = function(...)
  local isdone, v = host.may(...)
  if isdone then return v end
  error({ err = v }, 0)
end

r.replicate_commands = function() return true end
r.breakpoint = function() return false end
r.debug = function() end
rawset(G, "redis", readonly(r))

-- More keys than these are sorted by a function, which a hook can end.
local SORTEDMAX = 1000
local function before(a, b) return a < b end

-- The keys of a table in an order that does not depend on the interpreter, as that of next does: each has a seed of its
-- own for texts. What scripts encode has to be the same after a start: they remove by it what they have put somewhere.
local function keysof(t)
  local keys, numbers, others = {}, {}, {}
  for key in next, t do
    local kind = type(key)
    local list = kind == "string" and keys or kind == "number" and numbers or others
    list[#list + 1] = key
  end
  table.sort(keys, #keys > SORTEDMAX and before or nil)
  if numbers[1] then
    table.sort(numbers, #numbers > SORTEDMAX and before or nil)
    keys = table.move(keys, 1, #keys, #numbers + 1, numbers)
  end
  return others[1] and table.move(others, 1, #others, #keys + 1, keys) or keys
end

-- The other libraries get what they need of this one.
local tools = {
  text = text, whole = whole, float = float, null = host.null, reset = pass,
  realof = function(v) return real[v] or v end, keysof = keysof,
}
for name, load in next, { bit = bit, cjson = cjson, struct = struct, cmsgpack = cmsgpack } do
  rawset(G, name, readonly(load(base, string, table, math, tools)))
end

tools.readonly, tools.deny, tools.raise, tools.pass, tools.finish = readonly, deny, raise, pass, finishin
tools.getinfo, tools.getupvalue = getinfo, debug.getupvalue
tools.helpers = { [text] = true, [number] = true, [three] = true, [pass] = true }
tools.setreal = function(proxy, t) real[proxy] = t end
local call, loadlibrary, endload, finishlibrary = functions(base, string, tools, G, r, missing, compiler)

local function start(script, keys, arguments)
  rawset(G, "KEYS", keys)
  rawset(G, "ARGV", arguments)
  tools.reset()
  return pass(script())
end

return start, fail, finish, call, loadlibrary, endload, finishlibrary
