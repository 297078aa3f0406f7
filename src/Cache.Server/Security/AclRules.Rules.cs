using System.Text;

namespace Cache.Server.Security;

/// <summary>The rules that change a user, and the user as rules.</summary>
internal sealed partial class AclRules
{
    /// <summary>Applies one rule, in Redis's syntax; a char is a byte.</summary>
    /// <returns>Null, or the error in Redis's words.</returns>
    public string? TryApply(string rule)
    {
        switch (rule.ToLowerInvariant())
        {
            case "on" or "off":
                IsOn = rule.Length == "on".Length;
                return null;
            case "nopass":
                _passwords.Clear();
                NeedsNoPassword = true;
                return null;
            case "resetpass":
                _passwords.Clear();
                NeedsNoPassword = false;
                return null;
            case "sanitize-payload" or "skip-sanitize-payload":
                _sanitizing = rule.ToLowerInvariant();
                return null;
            case "clearselectors":
                _selectors.RemoveRange(1, _selectors.Count - 1);
                return null;
            case "reset":
                return Reset();
        }

        return rule switch
        {
            ['>', ..] => AddPassword(AclText.Hash(rule[1..])),
            ['#', ..] => AclText.IsHash(rule[1..]) ? AddPassword(rule[1..]) : AclErrors.BadHash,
            ['<', ..] => RemovePassword(AclText.Hash(rule[1..])),
            ['!', ..] => AclText.IsHash(rule[1..]) ? RemovePassword(rule[1..]) : AclErrors.BadHash,
            ['(', .., ')'] => AddSelector(rule[1..^1]),
            _ => _selectors[0].TryApply(rule),
        };
    }

    /// <summary>The words before its name and selectors: "on", "nopass", …</summary>
    public IEnumerable<string> GetFlags()
    {
        yield return IsOn ? "on" : "off";
        if (NeedsNoPassword)
            yield return "nopass";
        if (_sanitizing is not null)
            yield return _sanitizing;
    }

    /// <summary>Rules that make it, as ACL LIST shows them.</summary>
    public string Describe()
    {
        var text = new StringBuilder(string.Join(' ', GetFlags()));
        foreach (string hash in _passwords)
            text.Append(" #").Append(hash);
        text.Append(' ').Append(_selectors[0].Describe());
        for (int i = 1; i < _selectors.Count; i++)
            text.Append(" (").Append(_selectors[i].Describe()).Append(')');
        return text.ToString();
    }

    private string? Reset()
    {
        foreach (string rule in (ReadOnlySpan<string>)
            ["resetpass", "resetkeys", "resetchannels", "off", "sanitize-payload", "clearselectors", "-@all"])
        {
            TryApply(rule);
        }

        if (_givesAllChannels)
            _selectors[0].TryApply("allchannels");
        return null;
    }

    private AclSelector CreateSelector()
    {
        var selector = new AclSelector();
        if (_givesAllChannels)
            selector.TryApply("allchannels");
        return selector;
    }

    private string? AddPassword(string hash)
    {
        if (!_passwords.Contains(hash))
            _passwords.Add(hash);
        NeedsNoPassword = false;
        return null;
    }

    private string? RemovePassword(string hash) => _passwords.Remove(hash) ? null : AclErrors.NoSuchPassword;

    private string? AddSelector(string rules)
    {
        var selector = CreateSelector();
        if (AclSplitter.Split(rules) is not { } words)
            return AclErrors.Syntax;
        foreach (string word in words)
        {
            if (selector.TryApply(word) is { } error)
                return error;
        }

        _selectors.Add(selector);
        return null;
    }
}
