using System.Globalization;
using System.Text;

namespace Cache.Tool.Migration;

/// <summary>A command that takes an entry from the chosen database to another one: MOVE, or COPY with DB.</summary>
/// <param name="Key">The entry's name there.</param>
/// <param name="Database">The other database.</param>
/// <param name="LeavesIt">Whether the entry is in the chosen one no more.</param>
internal sealed record Crossing(byte[] Key, int Database, bool LeavesIt)
{
    /// <summary>What a command takes elsewhere; null: nothing.</summary>
    public static Crossing? Of(in ReplicatedCommand command)
    {
        if (command.Name is not ("MOVE" or "COPY"))
            return null;
        var words = WordsOf(command.Bytes);
        int at = command.Name == "MOVE" ? 2 : words.FindIndex(Math.Min(3, words.Count), IsDb) + 1;
        if (at < 2 || at >= words.Count || !int.TryParse(
            Encoding.Latin1.GetString(words[at]), NumberStyles.None, CultureInfo.InvariantCulture, out int database))
        {
            return null;
        }

        return command.Name == "MOVE" ? new(words[1], database, true) : new(words[2], database, false);
    }

    private static bool IsDb(byte[] word) => word is [(byte)'D' or (byte)'d', (byte)'B' or (byte)'b'];

    // Of a command that was read: its counts are right.
    private static List<byte[]> WordsOf(ReadOnlySpan<byte> bytes)
    {
        var words = new List<byte[]>();
        bytes = bytes[(bytes.IndexOf((byte)'\n') + 1)..];
        while (!bytes.IsEmpty)
        {
            int end = bytes.IndexOf((byte)'\r');
            int length = int.Parse(bytes[1..end], NumberStyles.None, CultureInfo.InvariantCulture);
            words.Add(bytes.Slice(end + 2, length).ToArray());
            bytes = bytes[(end + length + 4)..];
        }

        return words;
    }
}
