using System.Globalization;
using System.Text;

namespace Cache.Tool.Client;

/// <summary>A reply of a server: bytes, a number, or a list of replies.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Bytes">A text's; empty for others.</param>
/// <param name="Number">A number's.</param>
/// <param name="Items">A list's; empty for others.</param>
internal sealed record Reply(ReplyKind Kind, byte[] Bytes, long Number, IReadOnlyList<Reply> Items)
{
    public static Reply Null { get; } = new(ReplyKind.Null, [], 0, []);

    public string Text => Kind == ReplyKind.Number
        ? Number.ToString(CultureInfo.InvariantCulture)
        : Encoding.UTF8.GetString(Bytes);

    public static Reply OfText(ReplyKind kind, byte[] bytes) => new(kind, bytes, 0, []);

    /// <summary>The value behind a name in a list of names and values; null if it has none of that name.</summary>
    public Reply? Find(string name)
    {
        for (int i = 0; i + 1 < Items.Count; i += 2)
        {
            if (Items[i].Text == name)
                return Items[i + 1];
        }

        return null;
    }
}
