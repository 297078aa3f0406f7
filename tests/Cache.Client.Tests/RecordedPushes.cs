using System.Text;

namespace Cache.Client.Tests;

/// <summary>Keeps pushes as texts, in their order, with the replies that tests add.</summary>
internal sealed class RecordedPushes : IPushSink
{
    private readonly List<string> _all = [];

    public string All
    {
        get
        {
            lock (_all)
                return string.Join(' ', _all);
        }
    }

    public void Add(string what)
    {
        lock (_all)
            _all.Add(what);
    }

    public void Invalidate(ReadOnlySpan<byte> key) => Add("-" + Encoding.UTF8.GetString(key));

    public void InvalidateAll() => Add("-*");

    public void Push(in RespReply push) => Add(">" + string.Join('/', push.Items.Select(item => item.Text)));
}
