using System.Collections.Frozen;
using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Settings;

namespace Cache.Server.Notifications;

/// <summary>The plan of each command that changes keys: the names of Redis 7.0's events.</summary>
internal static class EventPlans
{
    private static readonly KeyEvent _set = Of(EventClasses.Strings, "set");
    private static readonly KeyEvent _fieldsExpire = Of(EventClasses.Hashes, "hexpire");
    private static readonly KeyEvent _fieldsPersist = Of(EventClasses.Hashes, "hpersist");
    private static readonly KeyEvent _fieldsRemoved = Of(EventClasses.Hashes, "hdel");
    private static readonly KeyEvent _fieldsSet = Of(EventClasses.Hashes, "hset");

    private static readonly KeyEvent _membersAdded = Of(EventClasses.Sets, "sadd");

    private static readonly EventPlan _plainSet = new(_set);
    private static readonly EventPlan _setAndExpire = new(_set) { Then = KeyEvent.Expire };
    private static readonly EventPlan _expire = new(Written: null) { Expiry = KeyEvent.Expire };
    private static readonly EventPlan _persist = new(Written: null) { Expiry = KeyEvent.Persist };
    private static readonly EventPlan _leftPush = new(Of(EventClasses.Lists, "lpush")) { IsOnce = true };
    private static readonly EventPlan _rightPush = new(Of(EventClasses.Lists, "rpush")) { IsOnce = true };
    private static readonly EventPlan _leftPop = EventPlan.OfElements(Of(EventClasses.Lists, "lpop"));
    private static readonly EventPlan _rightPop = EventPlan.OfElements(Of(EventClasses.Lists, "rpop"));
    private static readonly EventPlan _popMin = EventPlan.OfElements(Of(EventClasses.SortedSets, "zpopmin"));
    private static readonly EventPlan _popMax = EventPlan.OfElements(Of(EventClasses.SortedSets, "zpopmax"));
    private static readonly EventPlan _scoresAdded = new(Of(EventClasses.SortedSets, "zadd")) { IsOnce = true };
    private static readonly EventPlan _scoreAdded = new(Of(EventClasses.SortedSets, "zincr"));

    private static readonly EventPlan _entryAdded = new(Of(EventClasses.Streams, "xadd")) { IsOnce = true };

    private static readonly EventPlan _fieldsExpiry =
        new(_fieldsExpire) { BeforeRemoval = _fieldsRemoved, IsOnce = true };

    private static readonly EventPlan _fieldsPersisted = new(_fieldsPersist) { IsOnce = true };
    private static readonly EventPlan _fieldsWritten = new(_fieldsSet) { IsOnce = true };
    private static readonly EventPlan _timedFieldsWritten = _fieldsWritten with { Then = _fieldsExpire };

    private static readonly EventPlan _renaming = new(Of(EventClasses.Generic, "rename_to"))
    {
        Source = new(Written: null) { Removed = Of(EventClasses.Generic, "rename_from") },
        IsSourceFirst = true,
        IsAlwaysNew = true,
    };

    private static readonly EventPlan _moving = new(Of(EventClasses.Generic, "move_to"))
    {
        Source = new(Written: null) { Removed = Of(EventClasses.Generic, "move_from") },
        IsSourceFirst = true,
    };

    private static readonly FrozenDictionary<string, EventPlan> _fixed = Table();

    /// <summary>The plan of a call.</summary>
    public static EventPlan Of(CommandDefinition command, in RespRequest request, CacheStore keyspace) =>
        command.Name switch
        {
            "set" => HasExpiry(request, 3) ? _setAndExpire : _plainSet,
            "getex" when HasExpiry(request, 2) => _expire,
            "getex" => IsExpiring(request[1], keyspace) ? _persist : EventPlan.Nothing,
            "hgetex" => HasExpiry(request, 2) ? _fieldsExpiry : _fieldsPersisted,
            "hsetex" => HasExpiry(request, 2) ? _timedFieldsWritten : _fieldsWritten,
            "zadd" => HasWord(request, 2, "INCR"u8) ? _scoreAdded : _scoresAdded,
            "lmpop" => HasWord(request, 2, "LEFT"u8) ? _leftPop : _rightPop,
            "blmpop" => HasWord(request, 3, "LEFT"u8) ? _leftPop : _rightPop,
            "zmpop" => HasWord(request, 2, "MIN"u8) ? _popMin : _popMax,
            "bzmpop" => HasWord(request, 3, "MIN"u8) ? _popMin : _popMax,
            "lmove" or "blmove" => Moving(request[3].Is("LEFT"u8), request[4].Is("LEFT"u8), request),
            "rpoplpush" or "brpoplpush" => Moving(isFromLeft: false, isToLeft: true, request),
            _ => _fixed.GetValueOrDefault(command.Name, EventPlan.Nothing),
        };

    /// <summary>Whether Redis tells that a command finds no key, which it uses in this way.</summary>
    public static bool TellsMiss(CommandDefinition command, AclKeyAccess access)
    {
        if (command.Name is "getex" or "getdel" or "getset" or "pfmerge")
            return true;
        bool looksOnly = command.Name == "watch" || command.Name.StartsWith("object|", StringComparison.Ordinal)
            || command.Name.StartsWith("memory|", StringComparison.Ordinal);
        return !looksOnly && ((command.Flags & CommandFlags.Write) == 0 || access == AclKeyAccess.Read);
    }

    /// <summary>The event of a write in process.</summary>
    public static KeyEvent? WrittenInProcess(EntryKind kind) => kind switch
    {
        EntryKind.String => _set,
        EntryKind.Hash => _fieldsSet,
        EntryKind.List => _rightPush.Written,
        EntryKind.Set => _membersAdded,
        EntryKind.SortedSet => _scoresAdded.Written,
        EntryKind.Stream => _entryAdded.Written,
        _ => null,
    };

    // From one end to the other: both events in any case, of one list in one write.
    private static EventPlan Moving(bool isFromLeft, bool isToLeft, in RespRequest request)
    {
        var pop = isFromLeft ? _leftPop : _rightPop;
        var push = isToLeft ? _leftPush : _rightPush;
        return request[1].SequenceEqual(request[2]) ? push with { Then = pop.Written } : push with { Source = pop };
    }

    private static bool IsExpiring(ReadOnlySpan<byte> key, CacheStore keyspace) =>
        keyspace.TryPeekInfo(key, out var info) && info.ExpiresAtMs != 0;

    private static bool HasExpiry(in RespRequest request, int first) =>
        HasWord(request, first, "EX"u8) || HasWord(request, first, "PX"u8) || HasWord(request, first, "EXAT"u8)
        || HasWord(request, first, "PXAT"u8);

    // Options stand among the first arguments, and before the members of ZADD.
    private static bool HasWord(in RespRequest request, int first, ReadOnlySpan<byte> word)
    {
        const int OptionsMax = 16;
        int end = Math.Min(request.Count, first + OptionsMax);
        for (int i = first; i < end; i++)
        {
            if (!request.IsElsewhere(i) && request[i].Is(word))
                return true;
        }

        return false;
    }

    private static KeyEvent Of(EventClasses eventClass, string name) => new(eventClass, name);

    private static FrozenDictionary<string, EventPlan> Table()
    {
        var plans = new Dictionary<string, EventPlan>();
        AddStrings(plans);
        AddKeys(plans);
        AddHashes(plans);
        AddLists(plans);
        AddSets(plans);
        AddSortedSets(plans);
        AddStreams(plans);
        return plans.ToFrozenDictionary(StringComparer.Ordinal);
    }

    private static void Add(Dictionary<string, EventPlan> plans, EventPlan plan, params ReadOnlySpan<string> commands)
    {
        foreach (string command in commands)
            plans.Add(command, plan);
    }

    private static void AddStrings(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _plainSet, "setnx", "getset", "mset", "msetnx", "bitop");
        Add(plans, _setAndExpire, "setex", "psetex");
        Add(plans, new(Of(EventClasses.Strings, "incrby")), "incr", "incrby", "decr", "decrby");
        Add(plans, new(Of(EventClasses.Strings, "incrbyfloat")), "incrbyfloat");
        Add(plans, new(Of(EventClasses.Strings, "append")), "append");
        Add(plans, new(Of(EventClasses.Strings, "setrange")), "setrange");
        Add(plans, new(Of(EventClasses.Strings, "setbit")), "setbit", "bitfield");
        Add(plans, new(Of(EventClasses.Strings, "pfadd")), "pfadd", "pfmerge");
    }

    private static void AddKeys(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _expire, "expire", "pexpire", "expireat", "pexpireat");
        Add(plans, _persist, "persist");
        Add(plans, _renaming, "rename", "renamenx");
        Add(plans, _moving, "move");
        Add(plans, new(Of(EventClasses.Generic, "copy_to")) { IsAlwaysNew = true }, "copy");
        Add(plans, new(Of(EventClasses.Generic, "restore")) { IsAlwaysNew = true }, "restore");
        Add(plans, new(Of(EventClasses.Lists, "sortstore")), "sort");
    }

    private static void AddHashes(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _fieldsWritten, "hset", "hmset", "hsetnx");
        Add(plans, new(Of(EventClasses.Hashes, "hincrby")), "hincrby");
        Add(plans, new(Of(EventClasses.Hashes, "hincrbyfloat")), "hincrbyfloat");
        Add(plans, EventPlan.OfElements(_fieldsRemoved), "hdel", "hgetdel");
        Add(plans, _fieldsExpiry, "hexpire", "hpexpire", "hexpireat", "hpexpireat");
        Add(plans, _fieldsPersisted, "hpersist");
    }

    private static void AddLists(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _leftPush, "lpush", "lpushx");
        Add(plans, _rightPush, "rpush", "rpushx");
        Add(plans, _leftPop, "lpop", "blpop");
        Add(plans, _rightPop, "rpop", "brpop");
        Add(plans, new(Of(EventClasses.Lists, "linsert")), "linsert");
        Add(plans, new(Of(EventClasses.Lists, "lset")), "lset");
        Add(plans, EventPlan.OfElements(Of(EventClasses.Lists, "ltrim")) with { IsInAnyCase = true }, "ltrim");
        Add(plans, EventPlan.OfElements(Of(EventClasses.Lists, "lrem")), "lrem");
    }

    private static void AddSets(Dictionary<string, EventPlan> plans)
    {
        var added = new EventPlan(_membersAdded) { IsOnce = true };
        var removed = EventPlan.OfElements(Of(EventClasses.Sets, "srem"));
        Add(plans, added, "sadd");
        Add(plans, removed, "srem");
        Add(plans, EventPlan.OfElements(Of(EventClasses.Sets, "spop")), "spop");
        Add(plans, added with { Source = removed, IsSourceFirst = true }, "smove");
        foreach (string name in (string[])["sinterstore", "sunionstore", "sdiffstore"])
            Add(plans, new(Of(EventClasses.Sets, name)), name);
    }

    private static void AddSortedSets(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _scoresAdded, "geoadd");
        Add(plans, _scoreAdded, "zincrby");
        Add(plans, _popMin, "zpopmin", "bzpopmin");
        Add(plans, _popMax, "zpopmax", "bzpopmax");
        foreach (string name in (string[])["zrem", "zremrangebyrank", "zremrangebyscore", "zremrangebylex"])
            Add(plans, EventPlan.OfElements(Of(EventClasses.SortedSets, name)), name);
        foreach (string name in (string[])["zinterstore", "zunionstore", "zdiffstore", "zrangestore", "geosearchstore"])
            Add(plans, new(Of(EventClasses.SortedSets, name)), name);
        Add(plans, new(Of(EventClasses.SortedSets, "georadiusstore")), "georadius", "georadiusbymember");
    }

    private static void AddStreams(Dictionary<string, EventPlan> plans)
    {
        Add(plans, _entryAdded, "xadd");
        Add(plans, new(Of(EventClasses.Streams, "xdel")) { IsOnce = true }, "xdel");
        Add(plans, new(KeyEvent.StreamTrimmed) { IsOnce = true }, "xtrim");
        Add(plans, new(Of(EventClasses.Streams, "xsetid")), "xsetid");
        Add(plans, new(KeyEvent.ConsumerMade), "xgroup|createconsumer");
        foreach (string name in (string[])["create", "setid", "destroy", "delconsumer"])
            Add(plans, new(Of(EventClasses.Streams, $"xgroup-{name}")) { IsOnce = true }, $"xgroup|{name}");
    }
}
