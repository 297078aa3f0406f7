using System.Security.Cryptography;
using System.Text;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Security;

/// <summary>The passwords and rights (selectors) of one user.</summary>
/// <remarks>
/// Built by one thread; once a user has it, immutable and shared by all threads. One bit for each command says whether
/// it may be executed with any arguments, so that the usual check is one test.
/// </remarks>
internal sealed partial class AclRules
{
    private readonly List<string> _passwords = [];
    private readonly List<AclSelector> _selectors;
    private readonly ulong[] _free = new ulong[(CommandTable.Default.All.Count / 64) + 1];

    // acl-pubsub-default: whether new selectors have all channels.
    private readonly bool _givesAllChannels;

    // Kept for files of users only: no command here restores payloads. Null: neither word was given.
    private string? _sanitizing;

    /// <param name="givesAllChannels">Whether selectors begin with all channels.</param>
    public AclRules(bool givesAllChannels = false)
    {
        _givesAllChannels = givesAllChannels;
        _selectors = [CreateSelector()];
    }

    private AclRules(AclRules other, bool givesAllChannels)
    {
        _givesAllChannels = givesAllChannels;
        _passwords.AddRange(other._passwords);
        _selectors = other._selectors.ConvertAll(static selector => selector.Copy());
        _sanitizing = other._sanitizing;
        IsOn = other.IsOn;
        NeedsNoPassword = other.NeedsNoPassword;
    }

    /// <summary>Whether clients may authenticate as the user.</summary>
    public bool IsOn { get; private set; }

    /// <summary>Whether any password is accepted.</summary>
    public bool NeedsNoPassword { get; private set; }

    /// <summary>
    /// Whether GET and SET are allowed on all keys: then pipelined ones need no check each.
    /// </summary>
    public bool AllowsCommon { get; private set; }

    /// <summary>The SHA-256 of the passwords, in hexadecimal.</summary>
    public IReadOnlyList<string> Passwords => _passwords;

    /// <summary>The user's own selector, then those in parentheses.</summary>
    public IReadOnlyList<AclSelector> Selectors => _selectors;

    /// <summary>A copy that may be changed.</summary>
    /// <param name="givesAllChannels">Whether new selectors begin with all channels.</param>
    public AclRules Copy(bool givesAllChannels) => new(this, givesAllChannels);

    /// <summary>Computes the bits of the commands that may be executed with any arguments; called last.</summary>
    public AclRules Compile()
    {
        Array.Clear(_free);
        foreach (var command in CommandTable.Default.All)
        {
            bool isFree = (command.Flags & CommandFlags.NoAuth) != 0
                || _selectors.Exists(selector => selector.AllowsFreely(command));
            if (isFree)
                _free[command.Index / 64] |= 1UL << (command.Index % 64);
        }

        AllowsCommon = AllowsFreely(CommandTable.Default.Get) && AllowsFreely(CommandTable.Default.Set);
        return this;
    }

    /// <summary>Whether a command may be executed with any arguments.</summary>
    public bool AllowsFreely(CommandDefinition command) =>
        (_free[(uint)command.Index / 64] >> (command.Index % 64) & 1) != 0;

    /// <summary>Whether a channel may be used by any selector; of a pattern, whether the same one is allowed.</summary>
    public bool AllowsChannel(ReadOnlySpan<byte> name, bool isPattern)
    {
        foreach (var selector in _selectors)
        {
            if (selector.AllowsChannel(name, isPattern))
                return true;
        }

        return false;
    }

    /// <summary>Whether a request may be executed by a selector that may read any key, as SORT's patterns do.</summary>
    public bool ReadsAnyKey(CommandDefinition command, in RespRequest request)
    {
        if (AllowsFreely(command))
            return true;
        foreach (var selector in _selectors)
        {
            if (selector.ReadsAnyKey && selector.Check(command, request, start: 0, out _) == AclDenial.None)
                return true;
        }

        return false;
    }

    /// <summary>Whether a request may be executed; if not, the reason, and the argument that caused it.</summary>
    /// <param name="command">The command.</param>
    /// <param name="request">A request that has the command's words from an index on.</param>
    /// <param name="start">That index.</param>
    /// <param name="argument">The index of the argument, if the answer is no.</param>
    public AclDenial Check(CommandDefinition command, in RespRequest request, int start, out int argument)
    {
        // Of several reasons, as in Redis: a key rather than a command, a later key rather than an earlier one.
        var denial = AclDenial.Command;
        argument = start;
        foreach (var selector in _selectors)
        {
            var next = selector.Check(command, request, start, out int at);
            if (next == AclDenial.None)
                return next;
            if (next < denial || (next == denial && at <= argument))
                continue;
            denial = next;
            argument = at;
        }

        return denial;
    }

    /// <summary>Whether a password is one of the user's, in a time that does not depend on which.</summary>
    public bool IsPassword(ReadOnlySpan<byte> password)
    {
        if (NeedsNoPassword)
            return true;
        byte[] given = Encoding.ASCII.GetBytes(AclText.Hash(password));
        bool isOne = false;
        foreach (string hash in _passwords)
            isOne |= CryptographicOperations.FixedTimeEquals(given, Encoding.ASCII.GetBytes(hash));
        return isOne;
    }
}
