namespace Cache.Core.Tests.Model;

/// <summary>Reads of one key.</summary>
internal sealed partial class ModelRun
{
    private void RunRead(in StoreCommand command)
    {
        var view = ViewOf(command.Key);
        byte[] name = NameOf(command.Key);
        var sink = default(ArraySink);
        switch (command.Kind)
        {
            case StoreCommandKind.Get:
                AssertAnswer(_model.Read(command.Key)?.Value, view.TryGet(name, ref sink), sink);
                break;
            case StoreCommandKind.GetRange:
                long first = command.Number % 100 - 50;
                long last = command.Length % 100 - 50;
                byte[]? part = PartOf(_model.Read(command.Key)?.Value, first, last);
                AssertAnswer(part, view.TryGetRange(name, first, last, ref sink), sink);
                break;
            case StoreCommandKind.GetInfo:
                Assert.Equal(_model.Read(command.Key) is not null, view.TryGetInfo(name, out _));
                break;
            case StoreCommandKind.PeekInfo:
                Assert.Equal(_model.Find(command.Key) is not null, view.TryPeekInfo(name, out _));
                break;
            case StoreCommandKind.GetAndExpire:
                byte[]? value = _model.Read(command.Key)?.Value;
                long expiresAtMs = command.ExpiresAtMs(_model.NowMs);
                AssertAnswer(value, view.TryGetAndExpire(name, expiresAtMs, ref sink), sink);
                _model.Expire(command.Key, expiresAtMs, ExpireConditions.None);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(command), command.Kind, "Not a read.");
        }
    }

    private static void AssertAnswer(byte[]? expected, bool found, ArraySink sink)
    {
        Assert.Equal(expected is not null, found);
        Assert.Equal(expected, sink.Array);
    }

    private static byte[]? PartOf(byte[]? value, long first, long last)
    {
        if (value is null)
            return null;
        long from = Math.Max(0, first < 0 ? first + value.Length : first);
        long to = Math.Min(value.Length - 1, last < 0 ? last + value.Length : last);
        return from > to ? [] : value[(int)from..((int)to + 1)];
    }
}
