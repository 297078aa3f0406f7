using System.Text;

namespace Cache.Scripting.Running;

/// <summary>The first line of a script, if it is "#!lua", with flags.</summary>
/// <param name="Length">Its length; 0: there is none.</param>
/// <param name="IsReadOnly">Whether the script says that it does not write.</param>
internal readonly record struct ScriptHeader(int Length, bool IsReadOnly)
{
    private static readonly string[] _flags =
        ["no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"];

    /// <summary>Whether there is one.</summary>
    public bool IsThere => Length > 0;

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
        bool isReadOnly = false;
        foreach (string word in words.AsSpan(1))
        {
            const string Flags = "flags=";
            if (!word.StartsWith(Flags, StringComparison.Ordinal))
                return $"ERR Unknown lua shebang option: {word}";
            foreach (string flag in word[Flags.Length..].Split(','))
            {
                if (!_flags.Contains(flag))
                    return $"ERR Unexpected flag in script shebang: {flag}";
                isReadOnly |= flag == "no-writes";
            }
        }

        header = new ScriptHeader(length, isReadOnly);
        return null;
    }
}
