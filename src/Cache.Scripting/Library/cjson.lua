-- JSON, as the library lua-cjson has it.
local base, string, table, math, tools = ...
local error, next, rawget, type, tonumber = base.error, base.next, base.rawget, base.type, base.tonumber
local byte, char, find, format, gsub, match, sub =
  string.byte, string.char, string.find, string.format, string.gsub, string.match, string.sub
local null = tools.null

local DEPTHMAX = 1000
local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["/"] = "\\/", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n",
  ["\r"] = "\\r", ["\t"] = "\\t" }
for code = 0, 31 do
  local c = char(code)
  escapes[c] = escapes[c] or format("\\u%04x", code)
end
escapes["\127"] = "\\u007f"

local settings = { depth = DEPTHMAX, decodedepth = DEPTHMAX, convert = false, ratio = 2, safe = 10, digits = 14,
  invalid = false }

-- The libraries of Redis are shared by all scripts; what a script sets counts until it ends here.
local defaults = {}
for key, v in next, settings do defaults[key] = v end
function tools.reset()
  for key, v in next, defaults do settings[key] = v end
end

local function quote(text) return '"' .. gsub(text, '[%c"\\/\127]', escapes) .. '"' end

local function numeral(n)
  if n ~= n or n == math.huge or n == -math.huge then
    if settings.invalid == "null" then return "null" end
    if not settings.invalid then error("Cannot serialise number: must not be NaN or Inf", 0) end
    return n ~= n and "nan" or n > 0 and "inf" or "-inf"
  end
  return format("%." .. settings.digits .. "g", n)
end

-- The length of an array; nil: it is an object.
local function arraylength(t)
  local greatest, count = 0, 0
  for key in next, t do
    if type(key) ~= "number" or key <= 0 or key ~= math.floor(key) then return nil end
    count = count + 1
    if key > greatest then greatest = key end
  end
  if count == 0 then return nil end
  if settings.ratio > 0 and greatest > count * settings.ratio and greatest > settings.safe then
    if settings.convert then return nil end
    error("Cannot serialise table: excessively sparse array", 0)
  end
  return greatest
end

local encode

local function encodetable(t, parts, depth)
  if depth > settings.depth then error(format("Cannot serialise, excessive depth (%d)", depth), 0) end
  t = tools.realof(t)
  local length = arraylength(t)
  if length then
    parts[#parts + 1] = "["
    for i = 1, length do
      if i > 1 then parts[#parts + 1] = "," end
      encode(rawget(t, i), parts, depth)
    end
    parts[#parts + 1] = "]"
    return
  end
  local opening = "{"
  local keys = tools.keysof(t)
  for i = 1, #keys do
    local key = keys[i]
    local v = rawget(t, key)
    if type(key) == "number" then key = numeral(key)
    elseif type(key) ~= "string" then error("Cannot serialise " .. type(key) .. ": table key must be a number or string", 0) end
    parts[#parts + 1] = opening
    parts[#parts + 1] = quote(key)
    parts[#parts + 1] = ":"
    encode(v, parts, depth)
    opening = ","
  end
  parts[#parts + 1] = opening == "{" and "{}" or "}"
end

encode = function(v, parts, depth)
  local kind = type(v)
  if kind == "string" then parts[#parts + 1] = quote(v)
  elseif kind == "number" then parts[#parts + 1] = numeral(v)
  elseif kind == "boolean" then parts[#parts + 1] = v and "true" or "false"
  elseif kind == "table" then encodetable(v, parts, depth + 1)
  elseif v == nil or v == null then parts[#parts + 1] = "null"
  else error("Cannot serialise " .. kind .. ": type not supported", 0) end
end

-- Decoding. Errors name what was found, and where.

local function invalid(data, at, wanted)
  local found = at > #data and "T_END" or "invalid token"
  local c = sub(data, at, at)
  local names = { ["{"] = "T_OBJ_BEGIN", ["}"] = "T_OBJ_END", ["["] = "T_ARR_BEGIN", ["]"] = "T_ARR_END",
    [","] = "T_COMMA", [":"] = "T_COLON" }
  if names[c] then found = names[c]
  elseif c == '"' then found = "T_STRING"
  elseif c == "-" and not find(data, "^%d", at + 1) then found = "invalid number"
  elseif find(c, "^[%d-]") then found = "T_NUMBER"
  elseif match(data, "^true", at) or match(data, "^false", at) then found = "T_BOOLEAN"
  elseif match(data, "^null", at) then found = "T_NULL" end
  error(format("Expected %s but found %s at character %d", wanted, found, at), 0)
end

local function utf8(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xC0 | code >> 6, 0x80 | code & 0x3F) end
  if code < 0x10000 then return char(0xE0 | code >> 12, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F) end
  return char(0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F)
end

local unescaped = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function unicode(data, at) -- Behind \u.
  local digits = match(data, "^%x%x%x%x", at)
  if not digits then error(format("Expected value but found invalid unicode escape code at character %d", at - 2), 0) end
  local code = tonumber(digits, 16)
  if code < 0xD800 or code > 0xDFFF then return utf8(code), at + 4 end
  local low = code < 0xDC00 and match(data, "^\\u(%x%x%x%x)", at + 4)
  low = low and tonumber(low, 16)
  if not low or low < 0xDC00 or low > 0xDFFF then
    error(format("Expected value but found invalid unicode escape code at character %d", at - 2), 0)
  end
  return utf8(0x10000 + (code - 0xD800 << 10) + (low - 0xDC00)), at + 10
end

local function readstring(data, at) -- Behind the quotation mark.
  local parts = {}
  while true do
    local stop = find(data, '[%z\1-\31"\\]', at)
    if not stop then error(format("Expected value but found unexpected end of string at character %d", #data + 1), 0) end
    parts[#parts + 1] = sub(data, at, stop - 1)
    local c = sub(data, stop, stop)
    if c == '"' then return table.concat(parts), stop + 1 end
    if c ~= "\\" then
      error(format("Expected value but found invalid token at character %d", stop), 0)
    end
    local escape = sub(data, stop + 1, stop + 1)
    if escape == "u" then
      parts[#parts + 1], at = unicode(data, stop + 2)
    elseif unescaped[escape] then
      parts[#parts + 1], at = unescaped[escape], stop + 2
    else
      error(format("Expected value but found invalid escape code at character %d", stop), 0)
    end
  end
end

local function skip(data, at) return find(data, "[^ \t\r\n]", at) or #data + 1 end

local read

local function readarray(data, at, depth)
  local t, count = {}, 0
  at = skip(data, at)
  if sub(data, at, at) == "]" then return t, at + 1 end
  while true do
    count = count + 1
    t[count], at = read(data, at, depth)
    at = skip(data, at)
    local c = sub(data, at, at)
    if c == "]" then return t, at + 1 end
    if c ~= "," then invalid(data, at, "comma or array end") end
    at = skip(data, at + 1)
  end
end

local function readobject(data, at, depth)
  local t = {}
  at = skip(data, at)
  if sub(data, at, at) == "}" then return t, at + 1 end
  while true do
    if sub(data, at, at) ~= '"' then invalid(data, at, "object key string") end
    local key
    key, at = readstring(data, at + 1)
    at = skip(data, at)
    if sub(data, at, at) ~= ":" then invalid(data, at, "colon") end
    t[key], at = read(data, skip(data, at + 1), depth)
    at = skip(data, at)
    local c = sub(data, at, at)
    if c == "}" then return t, at + 1 end
    if c ~= "," then invalid(data, at, "comma or object end") end
    at = skip(data, at + 1)
  end
end

local function deeper(depth, at)
  if depth >= settings.decodedepth then
    error(format("Found too many nested data structures (%d) at character %d", depth + 1, at), 0)
  end
  return depth + 1
end

-- In parts: a pattern of the whole would try each length of the digits with each, for ever if there are many.
local function readnumber(data, at)
  local _, stop = find(data, "^%-?%d+", at)
  if not stop then invalid(data, at, "value") end
  _, stop = find(data, "^%.?%d*", stop + 1)
  local _, last = find(data, "^[eE][+-]?%d+", stop + 1)
  stop = last or stop
  return tools.float(sub(data, at, stop)), stop + 1
end

read = function(data, at, depth)
  local c = sub(data, at, at)
  if c == '"' then return readstring(data, at + 1) end
  if c == "{" then return readobject(data, at + 1, deeper(depth, at)) end
  if c == "[" then return readarray(data, at + 1, deeper(depth, at)) end
  if match(data, "^true", at) then return true, at + 4 end
  if match(data, "^false", at) then return false, at + 5 end
  if match(data, "^null", at) then return null, at + 4 end
  return readnumber(data, at)
end

local function setting(name, check)
  return function(v)
    if v ~= nil then settings[name] = check(v) end
    return settings[name]
  end
end

local function between(low, high)
  return function(v)
    v = tools.whole(v)
    if type(v) ~= "number" or v < low or v > high then
      error(format("bad argument #1 (expected integer between %d and %d)", low, high), 0)
    end
    return v
  end
end

local library = {
  _NAME = "cjson", _VERSION = "2.1.0", null = null,
  encode_max_depth = setting("depth", between(1, DEPTHMAX)),
  decode_max_depth = setting("decodedepth", between(1, DEPTHMAX)),
  encode_number_precision = setting("digits", between(1, 14)),
  encode_keep_buffer = function() return true end,
  encode_invalid_numbers = setting("invalid", function(v) return v end),
  decode_invalid_numbers = function() return false end,
}

library.encode_sparse_array = function(convert, ratio, safe)
  if convert ~= nil then settings.convert = convert and true or false end
  if ratio ~= nil then settings.ratio = between(0, 0x7FFFFFFF)(ratio) end
  if safe ~= nil then settings.safe = between(0, 0x7FFFFFFF)(safe) end
  return settings.convert, settings.ratio, settings.safe
end

-- The errors of a function get the place of its caller.
local function placed(f)
  return function(...)
    local isdone, v = base.pcall(f, ...)
    if isdone then return v end
    error(v, 2)
  end
end

library.encode = placed(function(...)
  if base.select("#", ...) ~= 1 then error("bad argument #1 to 'encode' (expected 1 argument)", 0) end
  local parts = {}
  encode((...), parts, 0)
  return table.concat(parts)
end)

library.decode = placed(function(...)
  local data = tools.text((...))
  if base.select("#", ...) ~= 1 then error("bad argument #1 to 'decode' (expected 1 argument)", 0) end
  if type(data) ~= "string" then
    error(format("bad argument #1 to 'decode' (string expected, got %s)", type(data)), 0)
  end
  local v, at = read(data, skip(data, 1), 0)
  at = skip(data, at)
  if at <= #data then invalid(data, at, "the end") end
  return v
end)

return library
