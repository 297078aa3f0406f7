using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests.Protocol;

public sealed class RespRequestWriterTests
{
    [Fact]
    public void Add_Requests_AreWrittenOneBehindTheOther()
    {
        var writer = new RespRequestWriter().Begin(2).Add("GET"u8).Add("key"u8).Begin(3)
            .Add("EXPIRE"u8).Add(""u8).Add(-1000);
        Assert.Equal(
            "*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n*3\r\n$6\r\nEXPIRE\r\n$0\r\n\r\n$5\r\n-1000\r\n",
            Encoding.ASCII.GetString(writer.Written.Span));
    }

    [Fact]
    public void Add_LongArgument_Grows()
    {
        var argument = new byte[100_000];
        var writer = new RespRequestWriter().Begin(1).Add(argument);
        Assert.Equal("*1\r\n$100000\r\n".Length + 100_002, writer.Length);
        writer.Clear(keptBytesMax: 1000);
        Assert.Equal(0, writer.Length);
    }
}
