using System.Globalization;
using System.Text;

namespace Cache.Core.Tests.Model;

/// <summary>Writes of one key.</summary>
internal sealed partial class ModelRun
{
    // Room for a block, for a segment, for a page.
    private const int RetriesMax = 4;

    private void RunWrite(in StoreCommand command)
    {
        int key = command.Key;
        switch (command.Kind)
        {
            case StoreCommandKind.Set:
                Set(command, command.Value);
                break;
            case StoreCommandKind.SetInteger:
                Set(command, Encoding.ASCII.GetBytes(command.Integer.ToString(CultureInfo.InvariantCulture)));
                break;
            case StoreCommandKind.SetAndGetPrevious:
                SetAndGetPrevious(command);
                break;
            case StoreCommandKind.TakeVersion:
                TakeVersion(key);
                break;
            case StoreCommandKind.SetIfUnchanged:
                SetIfUnchanged(command);
                break;
            case StoreCommandKind.SetRange or StoreCommandKind.Append:
                SetRange(command);
                break;
            case StoreCommandKind.ChangeBits:
                ChangeBits(command);
                break;
            case StoreCommandKind.Increment:
                Increment(command);
                break;
            case StoreCommandKind.Expire:
                // Never is neither earlier nor later: it comes without conditions.
                long expiresAtMs = command.ExpiresAtMs(_model.NowMs);
                var conditions = expiresAtMs == 0 ? ExpireConditions.None : command.ExpireConditions;
                Assert.Equal(
                    _model.Expire(key, expiresAtMs, conditions),
                    ViewOf(key).Expire(NameOf(key), expiresAtMs, conditions));
                break;
            case StoreCommandKind.Persist:
                Assert.Equal(_model.Persist(key), ViewOf(key).Persist(NameOf(key)));
                break;
            case StoreCommandKind.Remove:
                Assert.Equal(_model.Find(key) is not null && _model.Remove(key), ViewOf(key).Remove(NameOf(key)));
                break;
            case StoreCommandKind.TryRemove:
                var sink = default(ArraySink);
                AssertAnswer(_model.Find(key)?.Value, ViewOf(key).TryRemove(NameOf(key), ref sink), sink);
                _model.Remove(key);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(command), command.Kind, "Not a write.");
        }
    }

    private void Set(in StoreCommand command, byte[] value)
    {
        var options = command.Options(_model.NowMs);
        var status = ViewOf(command.Key).Set(NameOf(command.Key), value, options);
        int key = command.Key;
        if (!IsRefused(status))
            AssertWrite(model => model.Set(key, value, options), status, key);
    }

    private void SetAndGetPrevious(in StoreCommand command)
    {
        var options = command.Options(_model.NowMs);
        var sink = default(ArraySink);
        int key = command.Key;
        byte[] value = command.Value;
        var status = ViewOf(key).Set(NameOf(key), value, options, ref sink, out bool existed);
        Assert.Equal(existed, sink.Array is not null);
        if (IsRefused(status))
            return;
        AssertWrite(
            model => (TextOf(model.Find(key)?.Value), model.Set(key, value, options)),
            (TextOf(sink.Array), status), key);
    }

    private void TakeVersion(int key)
    {
        ViewOf(key).TryPeekInfo(NameOf(key), out var info);
        _versions[key] = (info.Version, _model.ChangesOf(key));
    }

    // A version may change without a write: making room moves entries. Room that was made is there the next time.
    private void SetIfUnchanged(in StoreCommand command)
    {
        int key = command.Key;
        if (!_versions.ContainsKey(key))
            TakeVersion(key);
        var (version, changes) = _versions[key];
        bool isUnchanged = changes == _model.ChangesOf(key);
        var options = command.Options(_model.NowMs);
        var status = ViewOf(key).SetIfUnchanged(NameOf(key), command.Value, options, version);
        for (int i = 0; i < RetriesMax && status == WriteStatus.ConditionNotMet && isUnchanged; i++)
        {
            TakeVersion(key);
            status = ViewOf(key).SetIfUnchanged(NameOf(key), command.Value, options, _versions[key].Version);
        }

        if (!IsRefused(status))
        {
            byte[] value = command.Value;
            AssertWrite(
                model => isUnchanged ? model.Set(key, value, options) : WriteStatus.ConditionNotMet, status, key);
        }
    }

    private void SetRange(in StoreCommand command)
    {
        bool isAppend = command.Kind == StoreCommandKind.Append;
        byte[] part = command.Value;
        int before = _model.Find(command.Key)?.Value.Length ?? 0;
        int offset = isAppend ? before : command.Number % 20 == 0 ? ValueLengthMax : command.Number % 300;
        var status = isAppend
            ? ViewOf(command.Key).Append(NameOf(command.Key), part, out int length)
            : ViewOf(command.Key).SetRange(NameOf(command.Key), offset, part, out length);
        if (IsRefused(status))
        {
            Assert.Equal(before, length);
            return;
        }

        int key = command.Key;
        AssertWrite(
            model =>
            {
                int from = isAppend ? model.Find(key)?.Value.Length ?? 0 : offset;
                var answer = model.SetRange(key, from, part, ValueLengthMax, out int expected);
                return (answer, expected, TextOf(model.Read(key)?.Value));
            },
            (status, length, TextOf(ViewOf(key).GetArray(NameOf(key)))), key);
    }

    // One bit: what more there is to fields has tests of its own.
    private void ChangeBits(in StoreCommand command)
    {
        int key = command.Key;
        int offset = command.Number % 20 == 0 ? ValueLengthMax * 8 : command.Number % 2400;
        bool bit = command.Length % 2 == 0;
        Span<BitFieldStep> steps =
            [new() { Action = BitFieldAction.Set, Width = 1, Offset = offset, Value = bit ? 1 : 0 }];
        var status = ViewOf(key).ChangeBits(NameOf(key), steps);
        if (IsRefused(status))
            return;
        long? before = status == WriteStatus.Done ? steps[0].Result : null;
        AssertWrite(
            model =>
            {
                var answer = model.SetBit(key, offset, bit, ValueLengthMax, out long? expected);
                return (answer, expected, TextOf(model.Read(key)?.Value));
            },
            (status, before, TextOf(ViewOf(key).GetArray(NameOf(key)))), key);
    }

    private void Increment(in StoreCommand command)
    {
        var status = ViewOf(command.Key).Increment(NameOf(command.Key), command.Integer, out long result);
        if (IsRefused(status))
            return;
        int key = command.Key;
        long delta = command.Integer;
        AssertWrite(model => Increment(model, key, delta), (status, status == WriteStatus.Done ? result : 0), key);
    }

    private static (WriteStatus Status, long Sum) Increment(StoreModel model, int key, long delta)
    {
        byte[] value = model.Find(key)?.Value ?? "0"u8.ToArray();
        if (!IsCanonical(value, out long before))
            return (WriteStatus.NotAnInteger, 0);
        var sum = (Int128)before + delta;
        if (sum < long.MinValue || sum > long.MaxValue)
            return (WriteStatus.Overflow, 0);
        byte[] text = Encoding.ASCII.GetBytes(sum.ToString(CultureInfo.InvariantCulture));
        return (model.Set(key, text, new EntryOptions { KeepTtl = true }), (long)sum);
    }

    private static bool IsCanonical(byte[] value, out long integer) =>
        long.TryParse(Encoding.Latin1.GetString(value), CultureInfo.InvariantCulture, out integer)
        && Encoding.Latin1.GetString(value) == integer.ToString(CultureInfo.InvariantCulture);

    // As text, values are compared by what is in them.
    private static string? TextOf(byte[]? value) => value is null ? null : Encoding.Latin1.GetString(value);
}
