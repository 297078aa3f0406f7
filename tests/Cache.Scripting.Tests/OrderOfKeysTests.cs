namespace Cache.Scripting.Tests;

/// <summary>
/// In which order the keys of a table are written. Scripts remove from a set or a list what they write again, so that
/// the same table has to give the same bytes after a start too; the order of <c>pairs</c> is another in each process.
/// </summary>
public sealed class OrderOfKeysTests
{
    private const string Table =
        "local t = {name = 1, id = 2, data = {b = {y = 1, x = 2}, a = 3}, opts = 4, delay = 5, priority = 6, " +
        "timestamp = 7, attempts = 8, [3] = 9, [-1.5] = 10, [20] = 11, ['20'] = 12, [''] = 13} ";

    [Fact]
    public async Task CjsonEncode_Table_KeysAreInOrder()
    {
        await using var server = await ScriptServer.StartAsync();
        string expected =
            """{"-1.5":10,"3":9,"20":11,"":13,"20":12,"attempts":8,"data":{"a":3,"b":{"x":2,"y":1}},"delay":5,""" +
            """
            "id":2,"name":1,"opts":4,"priority":6,"timestamp":7}
            """;

        Assert.Equal(
            $"${expected.Length}\r\n{expected}\r\n", await server.EvalAsync(Table + "return cjson.encode(t)"));
    }

    [Fact]
    public async Task CmsgpackPack_Table_KeysAreInOrder()
    {
        await using var server = await ScriptServer.StartAsync();
        string order = Table + "t[true] = 14 t.data = 3 return cmsgpack.pack(t)";

        Assert.Equal(
            "$79\r\n\u008e\u00ca\u00bf\u00c0\0\0\n\u0003\t\u0014\u000b\u00a0\r\u00a220\u000c\u00a8attempts\b" +
            "\u00a4data\u0003\u00a5delay\u0005\u00a2id\u0002\u00a4name\u0001\u00a4opts\u0004\u00a8priority\u0006" +
            "\u00a9timestamp\u0007\u00c3\u000e\r\n",
            await server.EvalAsync(order));
    }

    [Fact] // Keys that have no order are refused as before, whatever else there is.
    public async Task CjsonEncode_KeyThatIsNoText_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.StartsWith(
            "-ERR user_script:1: Cannot serialise boolean: table key must be a number or string script: ",
            await server.EvalAsync("return cjson.encode({a = 1, [true] = 2})"));
    }

    [Fact] // They are sorted by a call that can be interrupted.
    public async Task CjsonEncode_ManyKeys_KeysAreInOrder()
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.Equal(
            ":1\r\n",
            await server.EvalAsync(
                "local t = {} for i = 1, 5000 do t[string.format('%05d', i)] = i end " +
                "local last = '' for key in string.gmatch(cjson.encode(t), '\"(%d+)\"') do " +
                "if key <= last then return key end last = key end return 1"));
    }
}
