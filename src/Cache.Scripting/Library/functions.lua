-- What libraries of functions see. While one is loaded it has a small `redis` and nothing else, as in Redis; what it
-- registers has all that scripts have, but no KEYS and ARGV. Called once; scripts see none of this.
local base, string, tools, globals, redis, missing, compiler = ...
local type, next, error, select, rawset, rawget, setmetatable =
  base.type, base.next, base.error, base.select, base.rawset, base.rawget, base.setmetatable
local lower, find = string.lower, string.find
local rawequal = base.rawequal
local text, readonly, realof, raise = tools.text, tools.readonly, tools.realof, tools.raise

-- Of a function, in Lua.
local UPVALUESMAX = 255

-- The redis of functions, and the one of a library that is loaded.
local r, l = {}, setmetatable({}, missing)
for name, v in next, redis do
  if name ~= "replicate_commands" and name ~= "breakpoint" and name ~= "debug" then r[name] = v end
  if type(v) ~= "function" or name == "log" then l[name] = v end
end

local F = {}
for name, v in next, globals do F[name] = v end
F.redis = readonly(r)
setmetatable(F, missing)
local L = setmetatable({ redis = readonly(l) }, missing)

local meta = { __index = F, __newindex = tools.deny, __metatable = false }
local environment = setmetatable({}, meta)
tools.setreal(environment, F)
F._G = environment
local function finish(loaded) return tools.finish(loaded, environment) end
for name, v in next, compiler(finish) do rawset(F, name, v) end

-- The list of what is registered: name, flags, description or false, callback, what is known of it when the library is
-- whole. Nil: no library is loaded.
local loading

local flags = {
  ["no-writes"] = 1, ["allow-oom"] = 2, ["allow-stale"] = 4, ["no-cluster"] = 8, ["allow-cross-slot-keys"] = 16,
}

local function readflags(names)
  local sum = 0
  local i, t = 1, realof(names)
  while rawget(t, i) ~= nil do
    local name = rawget(t, i)
    local flag = type(name) == "string" and flags[lower(name)]
    if not flag then raise("unknown flag given") end
    sum = sum | flag
    i = i + 1
  end
  return sum
end

local function readname(v)
  v = text(v)
  return type(v) == "string" and v or nil
end

-- Of a table with names: what each field becomes.
local fields = {
  function_name = function(v)
    return readname(v) or raise("function_name argument given to redis.register_function must be a string")
  end,
  description = function(v)
    return readname(v) or raise("description argument given to redis.register_function must be a string")
  end,
  callback = function(v)
    if type(v) == "function" then return v end
    raise("callback argument given to redis.register_function must be a function")
  end,
  flags = function(v)
    if type(v) == "table" then return readflags(v) end
    raise("flags argument to redis.register_function must be a table representing function flags")
  end,
}

local function readnamed(t)
  if type(t) ~= "table" then
    raise("calling redis.register_function with a single argument is only applicable to Lua table (representing "
      .. "named arguments).")
  end
  local given = {}
  for key, v in next, realof(t) do
    key = readname(key)
    if not key then raise("named argument key given to redis.register_function is not a string") end
    key = lower(key)
    if not fields[key] then raise("unknown argument given to redis.register_function") end
    given[key] = fields[key](v)
  end
  if not given.function_name then raise("redis.register_function must get a function name argument") end
  if not given.callback then raise("redis.register_function must get a callback argument") end
  return given.function_name, given.callback, given.flags or 0, given.description or false
end

local function read(...)
  local count = select("#", ...)
  if count < 1 or count > 2 then raise("wrong number of arguments to redis.register_function") end
  local name, callback = ...
  if count == 1 then return readnamed(name) end
  name = readname(name)
  if not name then raise("first argument to redis.register_function must be a string") end
  if type(callback) ~= "function" then raise("second argument to redis.register_function must be a function") end
  return name, callback, 0, false
end

rawset(l, "register_function", function(...)
  if not loading then raise("redis.register_function can only be called on FUNCTION LOAD command") end
  local name, callback, sum, description = read(...)
  if not find(name, "^[%w_]+$") then
    raise("Library names can only contain letters, numbers, or underscores(_) and must be at least one character long")
  end
  local key = lower(name)
  if loading.names[key] then raise("Function already exists in the library") end
  loading.names[key] = true
  local count = #loading
  loading[count + 1], loading[count + 2], loading[count + 3] = name, sum, description
  loading[count + 4], loading[count + 5] = callback, false
end)

-- Where a callback stands, and the constants that it shares with others: its first line, its last line, names and
-- values. False: it is no function of the library, or it shares what is no constant by its value.
local function describe(callback)
  local info = tools.getinfo(callback, "S")
  if info.source ~= "@user_function" then return false end
  local list = { info.linedefined, info.lastlinedefined }
  for i = 1, UPVALUESMAX do
    local name, v = tools.getupvalue(callback, i)
    if not name then break end
    if not (rawequal(v, environment) and name == "_ENV" or v ~= nil and tools.helpers[v]) then
      local kind = type(v)
      if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then return false end
      list[#list + 1], list[#list + 2] = name, v
    end
  end
  return list
end

local function load(library)
  loading = { names = {} }
  rawset(meta, "__index", L)
  library()
  for i = 4, #loading, 5 do loading[i + 1] = describe(loading[i]) end
  return loading
end

-- After each load, also one that failed.
local function reset()
  loading = nil
  rawset(meta, "__index", F)
end

local function call(callback, keys, arguments)
  tools.reset()
  return tools.pass(callback(keys, arguments))
end

return call, load, reset, finish
