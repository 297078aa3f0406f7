using System.Text;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>The first line of a script, if it is "#!lua", with flags.</summary>
/// <param name="Length">Its length; 0: there is none.</param>
/// <param name="Flags">What the script says of itself.</param>
internal readonly record struct ScriptHeader(int Length, ScriptFlags Flags)
{
    private static readonly string[] _flags = [.. ScriptFlagNames.All];

    /// <summary>Whether there is one.</summary>
    public bool IsThere => Length > 0;

    /// <summary>Whether the script says that it does not write.</summary>
    public bool IsReadOnly => (Flags & ScriptFlags.NoWrites) != 0;

    /// <summary>Whether it must keep to keys of one slot. A script without such a line need not.</summary>
    public bool UsesOneSlot => IsThere && (Flags & ScriptFlags.AllowCrossSlotKeys) == 0;

    /// <summary>Whether it does not run in a cluster.</summary>
    public bool RefusesCluster => (Flags & ScriptFlags.NoCluster) != 0;

    /// <summary>Reads it.</summary>
    /// <returns>The error reply; null: there is none, or it is right.</returns>
    public static string? Read(ReadOnlySpan<byte> text, out ScriptHeader header)
    {
        header = default;
        if (!text.StartsWith("#!"u8))
            return null;
        int length = text.IndexOf((byte)'\n');
        if (length < 0)
            return "ERR Invalid script shebang";
        string[] words = Encoding.Latin1.GetString(text[..length])
            .Split((char[])[' ', '\t', '\r'], StringSplitOptions.RemoveEmptyEntries);
        if (words[0] != "#!lua")
            return $"ERR Unexpected engine in script shebang: {words[0]}";
        var flags = ScriptFlags.None;
        foreach (string word in words.AsSpan(1))
        {
            const string Option = "flags=";
            if (!word.StartsWith(Option, StringComparison.Ordinal))
                return $"ERR Unknown lua shebang option: {word}";
            string names = word[Option.Length..];
            foreach (string flag in names.Length > 0 ? names.Split(',') : [])
            {
                int bit = Array.IndexOf(_flags, flag);
                if (bit < 0)
                    return $"ERR Unexpected flag in script shebang: {flag}";
                flags |= (ScriptFlags)(1 << bit);
            }
        }

        header = new ScriptHeader(length, flags);
        return null;
    }
}
