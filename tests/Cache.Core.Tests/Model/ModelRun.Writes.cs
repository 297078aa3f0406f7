using System.Globalization;
using System.Text;
using Cache.Core.Contracts;

namespace Cache.Core.Tests.Model;

/// <summary>Writes of one key.</summary>
internal sealed partial class ModelRun
{
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
        if (!IsRefused(status))
            Assert.Equal(_model.Set(command.Key, value, options), status);
    }

    private void SetAndGetPrevious(in StoreCommand command)
    {
        var options = command.Options(_model.NowMs);
        var sink = default(ArraySink);
        byte[]? before = _model.Find(command.Key)?.Value;
        var status = ViewOf(command.Key).Set(
            NameOf(command.Key), command.Value, options, ref sink, out bool existed);
        AssertAnswer(before, existed, sink);
        if (!IsRefused(status))
            Assert.Equal(_model.Set(command.Key, command.Value, options), status);
    }

    private void TakeVersion(int key)
    {
        ViewOf(key).TryPeekInfo(NameOf(key), out var info);
        _versions[key] = (info.Version, _model.ChangesOf(key));
    }

    // A version may change without a write, but one that was just taken holds.
    private void SetIfUnchanged(in StoreCommand command)
    {
        int key = command.Key;
        if (!_versions.ContainsKey(key))
            TakeVersion(key);
        var (version, changes) = _versions[key];
        bool isUnchanged = changes == _model.ChangesOf(key);
        var options = command.Options(_model.NowMs);
        var status = ViewOf(key).SetIfUnchanged(NameOf(key), command.Value, options, version);
        if (status == WriteStatus.ConditionNotMet && isUnchanged)
        {
            TakeVersion(key);
            status = ViewOf(key).SetIfUnchanged(NameOf(key), command.Value, options, _versions[key].Version);
        }

        if (!IsRefused(status))
        {
            var expected = isUnchanged ? _model.Set(key, command.Value, options) : WriteStatus.ConditionNotMet;
            Assert.Equal(expected, status);
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

        Assert.Equal(_model.SetRange(command.Key, offset, part, ValueLengthMax, out int expected), status);
        Assert.Equal(expected, length);
    }

    private void Increment(in StoreCommand command)
    {
        var status = ViewOf(command.Key).Increment(NameOf(command.Key), command.Integer, out long result);
        if (IsRefused(status))
            return;
        byte[] value = _model.Find(command.Key)?.Value ?? "0"u8.ToArray();
        bool isInteger = IsCanonical(value, out long before);
        Int128 sum = (Int128)before + command.Integer;
        if (!isInteger)
            Assert.Equal(WriteStatus.NotAnInteger, status);
        else if (sum < long.MinValue || sum > long.MaxValue)
            Assert.Equal(WriteStatus.Overflow, status);
        else
        {
            Assert.Equal((WriteStatus.Done, (long)sum), (status, result));
            byte[] text = Encoding.ASCII.GetBytes(sum.ToString(CultureInfo.InvariantCulture));
            _model.Set(command.Key, text, new EntryOptions { KeepTtl = true });
        }
    }

    private static bool IsCanonical(byte[] value, out long integer) =>
        long.TryParse(Encoding.Latin1.GetString(value), CultureInfo.InvariantCulture, out integer)
        && Encoding.Latin1.GetString(value) == integer.ToString(CultureInfo.InvariantCulture);
}
