using System.Text;
using System.Text.Json;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>One command or subcommand: Redis's data about it, its keys, its categories.</summary>
/// <remarks>
/// Immutable once the table is created, except for lazily created members; shared by all servers of the process.
/// </remarks>
internal sealed class CommandDefinition
{
    private const int Unknown = -1;

    private readonly int _countMin;
    private readonly int _countMax;
    private int _aclIndex = Unknown;

    public CommandDefinition(JsonElement row, int index, CommandLookup? subcommands)
    {
        Row = row;
        Replies = new CommandReplies(this);
        Index = index;
        Subcommands = subcommands;
        Name = row.GetProperty("name").GetString()!;
        NameBytes = Encoding.UTF8.GetBytes(Name);
        Arity = row.GetProperty("arity").GetInt32();
        (_countMin, _countMax) = Arity < 0 ? (-Arity, int.MaxValue) : (Arity, Arity);
        var keys = row.GetProperty("keys");
        FirstKey = keys[0].GetInt32();
        LastKey = keys[1].GetInt32();
        KeyStep = keys[2].GetInt32();
        Flags = ReadFlags(row.GetProperty("flags"));
        Role = TransactionRoles.Of(Name, Flags, hasKeys: row.GetProperty("keySpecs").GetArrayLength() > 0);
        Work = CommandWorks.Of(Name, Flags, hasManyKeys: LastKey != FirstKey);
        Categories = row.GetProperty("acl").ReadStrings();
        ServesAdministrators =
            Array.Exists(Categories, static name => name is "@admin" or "@dangerous" or "@connection");
        ServesSubscribers = Name is "ping" or "quit" or "reset" or "subscribe" or "psubscribe" or "ssubscribe"
            or "unsubscribe" or "punsubscribe" or "sunsubscribe";
        RunsScript = Name is "eval" or "eval_ro" or "evalsha" or "evalsha_ro" or "fcall" or "fcall_ro";
        IsLikeWrite = Name is "eval" or "evalsha" or "fcall" or "pfcount" or "publish" or "spublish";
        Channels = Name switch
        {
            "publish" or "spublish" => ChannelArguments.One,
            "subscribe" or "ssubscribe" => ChannelArguments.All,
            "psubscribe" => ChannelArguments.Patterns,
            _ => ChannelArguments.None,
        };
        KeySpecifications = ReadKeys(row.GetProperty("keySpecs"), Name);
        HasOneKey = KeySpecifications is [{ HasFixedPlaces: true, First: 1, Last: 0 }];
        DenialError =
            Encoding.UTF8.GetBytes($"NOPERM this user has no permissions to run the '{Name}' command");
        ArityError = Encoding.UTF8.GetBytes($"ERR wrong number of arguments for '{Name}' command");
    }

    /// <summary>Its row of the table's source: flags, categories, key specifications, documentation.</summary>
    public JsonElement Row { get; }

    /// <summary>Its replies of COMMAND INFO and DOCS.</summary>
    public CommandReplies Replies { get; }

    /// <summary>Its index in the table, from 0, and in arrays of counters.</summary>
    public int Index { get; }

    /// <summary>The name in lower case; for a subcommand "container|subcommand".</summary>
    public string Name { get; }

    public byte[] NameBytes { get; }

    /// <summary>The part of the name behind the container's, else the whole name.</summary>
    public ReadOnlySpan<byte> LastName => NameBytes.AsSpan(NameBytes.AsSpan().IndexOf((byte)'|') + 1);

    /// <summary>The number of arguments with the name; negative: at least as many as its absolute value.</summary>
    public int Arity { get; }

    /// <summary>The index of the first argument that is a key; 0: none.</summary>
    public int FirstKey { get; }

    /// <summary>The index of the last one; negative: counted from the end, −1 being the last argument.</summary>
    public int LastKey { get; }

    public int KeyStep { get; }

    public CommandFlags Flags { get; }

    /// <summary>Whether it is for administrators: it does not wait behind other clients' long commands.</summary>
    public bool IsAdministrative => (Flags & CommandFlags.Admin) != 0;

    /// <summary>The most work of a call, as far as the name shows.</summary>
    public CommandWork Work { get; }

    /// <summary>What it does after MULTI, and what it needs in EXEC.</summary>
    public TransactionRole Role { get; }

    /// <summary>Whether it runs a script, which may use keys that it does not declare.</summary>
    public bool RunsScript { get; }

    /// <summary>Whether a request of it uses keys that it does not name, or changes more than keys.</summary>
    /// <remarks>Of what clears keyspaces, and begins or ends transactions, it says no.</remarks>
    public bool IsWhole(in RespRequest request) =>
        Role == TransactionRole.Whole && (KeySpecifications.Length == 0 || RunsScript || HasPatterns(request));

    /// <summary>Whether Redis may send what it does to replicas, though it is no write.</summary>
    public bool IsLikeWrite { get; }

    /// <summary>Whether its arguments may name a database, so that it, or what follows, uses keys there.</summary>
    public bool NamesDatabase => Name is "select" or "swapdb" or "move" or "copy";

    /// <summary>
    /// Whether an administrator needs it, by its categories; clients above the limit may run only such commands.
    /// </summary>
    public bool ServesAdministrators { get; }

    /// <summary>The positions of its channels.</summary>
    public ChannelArguments Channels { get; }

    /// <summary>Whether a client of RESP2 that is subscribed to channels may run it.</summary>
    public bool ServesSubscribers { get; }

    /// <summary>Its categories for ACL rules: "@read", …</summary>
    public string[] Categories { get; }

    /// <summary>The positions of its keys.</summary>
    public KeySpecification[] KeySpecifications { get; }

    /// <summary>Whether its first argument is its only key, always.</summary>
    public bool HasOneKey { get; }

    /// <summary>Its entry among the commands that ACL rules may name; found when first asked for.</summary>
    public int AclIndex => _aclIndex != Unknown ? _aclIndex : _aclIndex = AclCommandTable.Default.Find(Name)!.Index;

    /// <summary>The subcommands of a container; null if it has none.</summary>
    public CommandLookup? Subcommands { get; }

    /// <summary>The error reply for a wrong number of arguments.</summary>
    public byte[] ArityError { get; }

    /// <summary>The error reply for a user who may not run it.</summary>
    public byte[] DenialError { get; }

    /// <summary>Whether a number of arguments, its name included, is allowed.</summary>
    public bool Accepts(int count) => count >= _countMin && count <= _countMax;

    private static KeySpecification[] ReadKeys(JsonElement rows, string commandName)
    {
        var keys = new KeySpecification[rows.GetArrayLength()];
        for (int i = 0; i < keys.Length; i++)
            keys[i] = KeySpecification.Read(rows[i], commandName);
        return keys;
    }

    private static CommandFlags ReadFlags(JsonElement names)
    {
        var flags = CommandFlags.None;
        foreach (var name in names.EnumerateArray())
        {
            flags |= name.GetString() switch
            {
                "no_auth" => CommandFlags.NoAuth,
                "write" => CommandFlags.Write,
                "admin" => CommandFlags.Admin,
                "fast" => CommandFlags.Fast,
                "loading" => CommandFlags.Loading,
                "readonly" => CommandFlags.ReadOnly,
                "noscript" => CommandFlags.NoScript,
                "allow_busy" => CommandFlags.AllowBusy,
                "skip_monitor" => CommandFlags.SkipMonitor,
                "skip_slowlog" => CommandFlags.SkipSlowLog,
                "denyoom" => CommandFlags.DenyOom,
                "no_multi" => CommandFlags.NoMulti,
                _ => CommandFlags.None,
            };
        }

        return flags;
    }

    // Of SORT: BY and GET name further keys by what the key has.
    private static bool HasPatterns(in RespRequest request)
    {
        for (int i = 2; i < request.Count; i++)
        {
            if (!request.IsElsewhere(i) && (request[i].Is("BY"u8) || request[i].Is("GET"u8)))
                return true;
        }

        return false;
    }
}
