using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>How many replies the bytes that a client sent deserve, and whether its connection ends by them.</summary>
/// <param name="Requests">Whole requests that the server executes.</param>
/// <param name="Replies">Replies to them, that to a mistake in the protocol included.</param>
/// <param name="Ends">Whether the server closes the connection for what was sent.</param>
/// <param name="IsExact">Whether the number of replies does not depend on the pieces of the input.</param>
internal readonly record struct ExpectedReplies(int Requests, int Replies, bool Ends, bool IsExact)
{
    public static ExpectedReplies Of(byte[] input)
    {
        var sent = ReferenceTokenizer.Read(input);
        int requests = 0;
        int replies = 0;
        bool isOff = false;
        bool skipsNext = false;
        foreach (byte[][] words in sent.Requests)
        {
            bool isSkipped = skipsNext;
            skipsNext = false;
            if (words.Length == 0)
                continue;
            requests++;
            string name = Encoding.Latin1.GetString(words[0]).ToLowerInvariant();
            if (name is "post" or "host:")
                return new ExpectedReplies(requests, replies, Ends: true, !sent.HasLongLine);
            string mode = name == "client" && words.Length == 3 && Is(words[1], "reply") ? TextOf(words[2]) : "";
            isOff = mode == "off" || (isOff && mode != "on" && !(name == "reset" && words.Length == 1));
            skipsNext = mode == "skip" && !isOff;
            bool isAnswered = mode switch
            {
                "on" => true,
                "off" or "skip" => false,
                _ => !isOff && !isSkipped,
            };
            replies += isAnswered ? 1 : 0;
            if (name == "quit")
                return new ExpectedReplies(requests, replies, Ends: true, !sent.HasLongLine);
        }

        // The refusal of the bytes that follow is a reply too, unless the client wanted none.
        if (sent.Error is not null && !isOff && !skipsNext)
            replies++;
        return new ExpectedReplies(requests, replies, sent.Error is not null, !sent.HasLongLine);
    }

    private static bool Is(byte[] word, string text) => TextOf(word) == text;

    private static string TextOf(byte[] word) => Encoding.Latin1.GetString(word).ToLowerInvariant();
}
