using System.Text;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class RequestEncoderTests
{
    [Theory]
    [InlineData(4, 42, "0042")]
    [InlineData(12, 0, "000000000000")]
    [InlineData(16, 1234567, "key:000001234567")]
    [InlineData(20, 999_999_999_999, "key:0000999999999999")]
    public void WriteGet_KeyOfGivenLength_IsItsDigits(int keyBytes, long id, string key)
    {
        byte[] output = new byte[200];
        int length = new RequestEncoder(keyBytes, new ValuePattern(8)).WriteGet(output, id);
        Assert.Equal($"*2\r\n$3\r\nGET\r\n${keyBytes}\r\n{key}\r\n", Encoding.ASCII.GetString(output, 0, length));
    }

    [Fact]
    public void WriteSet_Value_IsThePatterns()
    {
        var values = new ValuePattern(40);
        byte[] value = new byte[40];
        values.Write(value, 31, 9);
        var encoder = new RequestEncoder(16, values);
        byte[] output = new byte[encoder.RequestBytesMax];
        Assert.Equal(output.Length, encoder.WriteSet(output, 31, 9));
        byte[] expected = [.. "*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000031\r\n$40\r\n"u8, .. value, .. "\r\n"u8];
        Assert.Equal(expected, output);
    }
}
