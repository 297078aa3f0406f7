using System.Text;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class ReplyVerifierTests
{
    private const int ValueBytes = 100;

    private readonly ValuePattern _values = new(ValueBytes);

    [Fact]
    public void ReadGet_OwnValueSplitAtEveryPosition_IsIncompleteThenHit()
    {
        var verifier = new ReplyVerifier(_values, verifyValues: true);
        byte[] reply = ReplyOf(5);
        for (int length = 0; length < reply.Length; length++)
            Assert.Equal(ReplyKind.Incomplete, verifier.ReadGet(reply.AsSpan(0, length), 5, out _));
        Assert.Equal(ReplyKind.Hit, verifier.ReadGet([.. reply, .. "+OK\r\n"u8], 5, out int consumed));
        Assert.Equal(reply.Length, consumed);
    }

    [Fact]
    public void ReadGet_AnotherKeysValue_IsWrong() =>
        Assert.Equal(ReplyKind.Wrong, new ReplyVerifier(_values, verifyValues: true).ReadGet(ReplyOf(6), 5, out _));

    [Fact]
    public void ReadGet_AnotherKeysValueUnverified_IsHit() =>
        Assert.Equal(ReplyKind.Hit, new ReplyVerifier(_values, verifyValues: false).ReadGet(ReplyOf(6), 5, out _));

    [Fact]
    public void ReadGet_MiddleByteChanged_IsFoundInOneOfEvery()
    {
        var verifier = new ReplyVerifier(_values, verifyValues: true);
        byte[] reply = ReplyOf(5);
        reply[reply.Length / 2] ^= 1;
        int wrong = 0;
        for (int i = 0; i < 10 * ReplyVerifier.WholeValueEvery; i++)
            wrong += verifier.ReadGet(reply, 5, out _) == ReplyKind.Wrong ? 1 : 0;
        Assert.Equal(10, wrong);
    }

    [Theory]
    [InlineData("$-1\r\n", (int)ReplyKind.Miss)]
    [InlineData("$-", (int)ReplyKind.Incomplete)]
    [InlineData("$99\r\n", (int)ReplyKind.Wrong)]
    [InlineData("-ERR no\r\n", (int)ReplyKind.Wrong)]
    [InlineData("+OK\r\n", (int)ReplyKind.Wrong)]
    public void ReadGet_OtherReplies_AreTold(string reply, int expected)
    {
        var verifier = new ReplyVerifier(_values, verifyValues: true);
        Assert.Equal((ReplyKind)expected, verifier.ReadGet(Encoding.ASCII.GetBytes(reply), 5, out _));
    }

    [Theory]
    [InlineData("+OK\r\n", (int)ReplyKind.Stored)]
    [InlineData("+OK\r", (int)ReplyKind.Incomplete)]
    [InlineData("$-1\r\n", (int)ReplyKind.Wrong)]
    [InlineData("-OOM no\r\n", (int)ReplyKind.Wrong)]
    public void ReadSet_Replies_AreTold(string reply, int expected) =>
        Assert.Equal((ReplyKind)expected, ReplyVerifier.ReadSet(Encoding.ASCII.GetBytes(reply), out _));

    private byte[] ReplyOf(long id)
    {
        byte[] value = new byte[ValueBytes];
        _values.Write(value, id, 1);
        return [.. Encoding.ASCII.GetBytes($"${ValueBytes}\r\n"), .. value, .. "\r\n"u8];
    }
}
