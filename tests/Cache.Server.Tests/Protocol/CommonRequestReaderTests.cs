using System.Text;
using Cache.Server.Protocol;
using Cache.Testing;

namespace Cache.Server.Tests.Protocol;

public sealed class CommonRequestReaderTests
{
    [Theory]
    [InlineData("*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n")]
    [InlineData("*2\r\n$3\r\ngEt\r\n$0\r\n\r\n")]
    [InlineData("*2\r\n$3\r\nget\r\n$12\r\n0123456789\r\n\r\n")]
    [InlineData("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n")]
    [InlineData("*3\r\n$3\r\nset\r\n$1\r\nk\r\n$0\r\n\r\n")]
    [InlineData("*3\r\n$3\r\nSeT\r\n$1\r\nkxx$1\r\nv??")] // What ends an argument is not looked at.
    public void Read_CommonForm_TakesItWhole_AndNoPartOfIt(string request)
    {
        byte[] input = Encoding.Latin1.GetBytes(request);

        Assert.True(TakesOne(input));
        for (int length = 0; length < input.Length; length++)
            Assert.False(TakesOne(input.AsSpan(0, length)), $"{length} bytes");
    }

    [Theory]
    [InlineData("*2\r\n$3\r\nDEL\r\n$3\r\nkey\r\n")]
    [InlineData("*2\r\n$3\r\nSET\r\n$3\r\nkey\r\n")]
    [InlineData("*3\r\n$3\r\nGET\r\n$3\r\nkey\r\n$1\r\nv\r\n")]
    [InlineData("*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n$2\r\nNX\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$03\r\nkey\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$-1\r\nkey\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$3\r.key\r\n")]
    [InlineData("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n:1\r\nv\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$3000000\r\nkey\r\n")]
    [InlineData("GET key\r\n------------------")]
    public void Read_AnythingElse_IsLeft(string request) =>
        Assert.False(TakesOne(Encoding.Latin1.GetBytes(request)));

    [Fact]
    public void Read_ManyRequests_StopsAtTheFirstOther_AndAtTheRoom()
    {
        byte[] input = Encoding.Latin1.GetBytes(
            Repeat("*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n", 5) + "*1\r\n$4\r\nPING\r\n" + Repeat("*2\r\n", 9));
        var requests = new CommonRequest[CommonRequestReader.CountMax];

        Assert.Equal(5, CommonRequestReader.Read(input, requests));
        Assert.Equal(input.AsSpan().IndexOf("*1"u8), requests[4].End);
        Assert.Equal(3, CommonRequestReader.Read(input, requests.AsSpan(0, 3)));
    }

    // Whatever this reader takes, the general one takes in the same way.
    [Fact]
    public void Read_RandomBytesNearTheForm_AgreesWithTheGeneralReader() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        int taken = 0;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] input = Mutated(random);
            var requests = new CommonRequest[4];
            int count = CommonRequestReader.Read(input, requests);
            var general = new RespRequestReader();
            int offset = 0;
            for (int n = 0; n < count; n++, taken++)
            {
                var rest = input.AsSpan(offset);
                Assert.Equal(RespReadStatus.Complete, general.TryRead(rest));
                var request = general.GetRequest(rest);
                Assert.Equal(requests[n].IsGet ? 2 : 3, request.Count);
                Assert.True(Ascii.EqualsIgnoreCase(request[0], requests[n].IsGet ? "GET"u8 : "SET"u8));
                Assert.True(request[1].SequenceEqual(requests[n].KeyIn(input)));
                Assert.True(requests[n].IsGet || request[2].SequenceEqual(requests[n].ValueIn(input)));
                offset += general.Consumed;
                Assert.Equal(offset, requests[n].End);
            }
        }

        Assert.InRange(taken, 1000, int.MaxValue);
    });

    private static byte[] Mutated(Random random)
    {
        var text = new StringBuilder();
        for (int i = 0; i < 3; i++)
        {
            string key = new('k', random.Next(120));
            string value = new('v', random.Next(120));
            text.Append(random.Next(2) == 0
                ? $"*2\r\n$3\r\nGET\r\n${key.Length}\r\n{key}\r\n"
                : $"*3\r\n$3\r\nset\r\n${key.Length}\r\n{key}\r\n${value.Length}\r\n{value}\r\n");
        }

        byte[] input = Encoding.Latin1.GetBytes(text.ToString());
        for (int i = random.Next(3); i > 0; i--)
            input[random.Next(input.Length)] = (byte)"0123456789$*\r\nGETset\0"[random.Next(20)];
        return input;
    }

    private static bool TakesOne(ReadOnlySpan<byte> input)
    {
        var requests = new CommonRequest[1];
        return CommonRequestReader.Read(input, requests) == 1 && requests[0].End == input.Length;
    }

    private static string Repeat(string text, int count) => new StringBuilder().Insert(0, text, count).ToString();
}
