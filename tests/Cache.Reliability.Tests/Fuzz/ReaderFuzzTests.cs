using System.Text;
using Cache.Server.Protocol;
using Cache.Testing;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Random bytes near the protocol, cut anywhere: the reader takes what the reference takes.</summary>
public sealed class ReaderFuzzTests(ITestOutputHelper output)
{
    private const int Inputs = 150_000;

    // Pieces of which nearly right requests are made.
    private static readonly string[] _pieces =
    [
        "*", "$", "\r\n", "\r", "\n", "\0", "1", "2", "3", "0", "-1", "-", "4", "10", "*1\r\n", "*2\r\n", "*3\r\n",
        "$0\r\n\r\n", "$1\r\na\r\n", "$3\r\nGET\r\n", "$3\r\nset\r\n", "$4\r\nPING\r\n", "GET", " ", "\t", "\v", "\f",
        "\"", "'", "\\", "\\x41", "\\\"", "\"a b\"", "'it\\'s'", "a", "*2147483647\r\n", "*2147483648\r\n",
        "$536870912\r\n", "$536870913\r\n", "$18446744073709551616\r\n", "\u00ff", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nvv\r\n", "PING\r\n", ":1\r\n", "\r\n\r\n",
    ];

    [Fact]
    public void Read_AnyBytesInAnyPieces_AgreesWithTheReference() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var budget = new FuzzBudget(Inputs);
        while (!budget.IsSpent)
        {
            byte[] input = Next(random);
            var reference = ReferenceTokenizer.Read(input);
            string expected = Describe(reference.Requests, reference.Error);
            var (actual, common) = Read(input, random);
            Assert.True(
                actual == expected, $"{FuzzText.Escape(input)} was read as {actual}, not as {expected}.");
            Assert.True(
                expected.StartsWith(common, StringComparison.Ordinal),
                $"{FuzzText.Escape(input)} begins for the reader of common requests with {common}, not {expected}.");
            budget.Add(1);
        }

        output.WriteLine($"{budget.Done} inputs.");
    });

    private static byte[] Next(Random random)
    {
        var text = new StringBuilder();
        for (int i = random.Next(1, 14); i > 0; i--)
            text.Append(_pieces[random.Next(_pieces.Length)]);
        byte[] bytes = Encoding.Latin1.GetBytes(text.ToString());
        if (random.Next(3) == 0)
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
        return bytes;
    }

    // All that the general reader takes, piece by piece; and what the common one takes of the beginning.
    private static (string All, string Common) Read(byte[] input, Random random)
    {
        var reader = new RespRequestReader();
        var requests = new List<byte[][]>();
        string? error = null;
        int start = 0;
        int end = 0;
        while (end < input.Length && error is null)
        {
            end = random.Next(2) == 0 ? input.Length : random.Next(end + 1, input.Length + 1);
            while (start < end)
            {
                var span = input.AsSpan(start, end - start);
                var status = reader.TryRead(span);
                if (status == RespReadStatus.Incomplete)
                    break;
                if (status == RespReadStatus.Complete)
                    requests.Add(WordsOf(reader.GetRequest(span)));
                if (status == RespReadStatus.Skipped)
                    requests.Add([]);
                if (status == RespReadStatus.ProtocolError)
                {
                    error = Encoding.Latin1.GetString(reader.Error)["ERR Protocol error: ".Length..];
                    break;
                }

                start += reader.Consumed;
            }
        }

        return (Describe(requests, error), Describe(CommonOf(input), error: null));
    }

    private static byte[][] WordsOf(RespRequest request)
    {
        var words = new byte[request.Count][];
        for (int i = 0; i < words.Length; i++)
            words[i] = request[i].ToArray();
        return words;
    }

    private static List<byte[][]> CommonOf(byte[] input)
    {
        var found = new CommonRequest[CommonRequestReader.CountMax];
        int count = CommonRequestReader.Read(input, found);
        var requests = new List<byte[][]>();
        foreach (var request in found.AsSpan(0, count))
        {
            byte[] key = input.AsSpan(request.KeyOffset, request.KeyLength).ToArray();
            requests.Add(request.ValueLength < 0
                ? ["GET"u8.ToArray(), key]
                : ["SET"u8.ToArray(), key, input.AsSpan(request.ValueOffset, request.ValueLength).ToArray()]);
        }

        return requests;
    }

    private static string Describe(IEnumerable<byte[][]> requests, string? error)
    {
        var text = new StringBuilder();
        foreach (byte[][] words in requests)
            text.AppendJoin('|', words.Select(static word => FuzzText.Escape(word).ToUpperInvariant())).Append(';');
        return text.Append(error is null ? "" : "-" + error).ToString();
    }
}
