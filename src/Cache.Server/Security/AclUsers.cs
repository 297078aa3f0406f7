using System.Text;

namespace Cache.Server.Security;

/// <summary>The users of a server.</summary>
/// <remarks>
/// Read by all threads; changed under a lock, by replacing the dictionary or the rules of a user. Names are Latin-1, a
/// char is a byte, in the order of their bytes.
/// </remarks>
internal sealed class AclUsers
{
    public const string DefaultName = "default";

    // No name of a user has blanks.
    private const string AdministratorName = "(admin socket)";

    private readonly Lock _changing = new();
    private string[] _defaultPassword = ["nopass"];
    private bool _givesAllChannels;
    private volatile SortedDictionary<string, AclUser> _byName = new(StringComparer.Ordinal);

    // Of all names so far; grows before a longer one is in the dictionary.
    private volatile int _nameLengthMax = DefaultName.Length;

    public AclUsers()
    {
        Default = new AclUser(DefaultName, CreateUnlimited());
        _byName.Add(DefaultName, Default);
        Administrator = new AclUser(AdministratorName, CreateUnlimited());
    }

    /// <summary>The user of the admin socket, who may do everything; in no list, so that no rule reaches it.</summary>
    public AclUser Administrator { get; }

    /// <summary>The user of a new client; the same object as long as the server runs.</summary>
    public AclUser Default { get; }

    /// <summary>Whether clients must authenticate.</summary>
    public bool IsPasswordRequired => Default.Rules is not { NeedsNoPassword: true, IsOn: true };

    /// <summary>Whether the default user accepts any password, on or off.</summary>
    public bool NeedsNoPassword => Default.Rules.NeedsNoPassword;

    /// <summary>
    /// acl-pubsub-default: whether new users have all channels. Written by CONFIG SET, read by any thread.
    /// </summary>
    public bool GivesAllChannels
    {
        get => Volatile.Read(ref _givesAllChannels);
        set => Volatile.Write(ref _givesAllChannels, value);
    }

    /// <summary>All users, in the order of their names.</summary>
    public IReadOnlyCollection<AclUser> All => _byName.Values;

    public AclUser? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>Finds a user by the name's bytes, which come from a client, and may be hundreds of megabytes.</summary>
    public AclUser? Find(ReadOnlySpan<byte> name) =>
        name.Length > _nameLengthMax ? null : Find(Encoding.Latin1.GetString(name));

    /// <summary>Creates or changes a user by rules: all of them or none.</summary>
    /// <returns>Null, or the wrong rule and its error.</returns>
    public AclRuleError? Set(string name, IEnumerable<string> rules)
    {
        lock (_changing)
        {
            var user = Find(name);
            var changed = user?.Rules.Copy(GivesAllChannels) ?? new AclRules(GivesAllChannels);
            foreach (string rule in rules)
            {
                if (changed.TryApply(rule) is { } problem)
                    return new AclRuleError(rule, problem);
            }

            changed.Compile();
            if (user is not null)
                user.Rules = changed;
            else
                Replace(new AclUser(name, changed));
        }

        return null;
    }

    /// <summary>Removes a user other than the default one.</summary>
    /// <returns>The user, whose clients must be disconnected; null if there was none.</returns>
    public AclUser? Remove(string name)
    {
        lock (_changing)
        {
            if (Find(name) is not { } user)
                return null;
            var users = new SortedDictionary<string, AclUser>(_byName, StringComparer.Ordinal);
            users.Remove(name);
            _byName = users;
            return user;
        }
    }

    /// <summary>Whether the users already equal the result of <see cref="ReplaceAll"/>.</summary>
    public bool AreThe(IReadOnlyDictionary<string, AclRules> users)
    {
        lock (_changing)
        {
            int count = users.ContainsKey(DefaultName) ? users.Count : users.Count + 1;
            if (count != _byName.Count)
                return false;
            foreach (var (name, user) in _byName)
            {
                var rules = users.GetValueOrDefault(name) ?? (user == Default ? CreateUnlimited() : null);
                if (rules?.Describe() != user.Rules.Describe())
                    return false;
            }

            return true;
        }
    }

    /// <summary>Replaces all users.</summary>
    /// <param name="users">
    /// Names and rules; if the default user is missing, it may do everything, with its password if there is one.
    /// </param>
    /// <returns>The previous users except the default one: their clients must be disconnected.</returns>
    public List<AclUser> ReplaceAll(IReadOnlyDictionary<string, AclRules> users)
    {
        lock (_changing)
        {
            List<AclUser> former = [.. _byName.Values];
            former.Remove(Default);
            var next = new SortedDictionary<string, AclUser>(StringComparer.Ordinal) { [DefaultName] = Default };
            Default.Rules = users.TryGetValue(DefaultName, out var rules) ? rules.Compile() : CreateUnlimited();
            foreach (var (name, other) in users)
            {
                _nameLengthMax = Math.Max(_nameLengthMax, name.Length);
                if (name != DefaultName)
                    next.Add(name, new AclUser(name, other.Compile()));
            }

            _byName = next;
            return former;
        }
    }

    /// <summary>requirepass: the one password of the default user; empty: none is needed.</summary>
    /// <remarks>The default user has it, too, if a file of users does not mention that user.</remarks>
    public void SetDefaultPassword(ReadOnlySpan<byte> password)
    {
        string[] rules = password.IsEmpty ? ["nopass"] : ["resetpass", "#" + AclText.Hash(password)];
        lock (_changing)
        {
            _defaultPassword = rules;
            Set(DefaultName, rules);
        }
    }

    private void Replace(AclUser user)
    {
        _nameLengthMax = Math.Max(_nameLengthMax, user.Name.Length);
        _byName = new SortedDictionary<string, AclUser>(_byName, StringComparer.Ordinal) { [user.Name] = user };
    }

    private AclRules CreateUnlimited()
    {
        var rules = new AclRules();
        foreach (string rule in (string[])["on", .. _defaultPassword, "~*", "&*", "+@all"])
            rules.TryApply(rule);
        return rules.Compile();
    }
}
