using Cache.Testing;

namespace Cache.Core.Tests.Model;

/// <summary>Operations on several keys.</summary>
internal sealed partial class ModelRun
{
    private void RunOnMany(in StoreCommand command)
    {
        switch (command.Kind)
        {
            case StoreCommandKind.GetMany:
                GetMany(command);
                break;
            case StoreCommandKind.SetMany:
                SetMany(command);
                break;
            case StoreCommandKind.Rename:
                Rename(command.Key, InKeyspaceOf(command.Key, command.Other), command.Condition);
                break;
            case StoreCommandKind.Move:
                Move(command);
                break;
            default:
                Copy(command.Key, command.Other, command.Condition);
                break;
        }
    }

    private void Rename(int key, int newKey, SetCondition condition)
    {
        var status = ViewOf(key).Rename(NameOf(key), NameOf(newKey), condition);
        if (!IsRefused(status))
            AssertWrite(model => model.Rename(key, newKey, condition), status, key);
    }

    private void Copy(int key, int newKey, SetCondition condition)
    {
        var status = ViewOf(key).Copy(NameOf(key), ViewOf(newKey), NameOf(newKey), condition);
        if (!IsRefused(status))
            AssertWrite(model => model.Copy(key, newKey, condition), status, key);
    }

    private void GetMany(in StoreCommand command)
    {
        int[] keys = KeysOf(command);
        var source = new KeyArray([.. keys.Select(NameOf)]);
        var sink = new ValueListSink();
        ViewOf(command.Key).GetMany(ref source, ref sink);
        Assert.Equal(keys.Select(key => _model.Read(key)?.Value), sink.Values);
    }

    private void Move(in StoreCommand command)
    {
        int from = command.Key;
        int to = InKeyspaceOf(command.Other, from);
        var status = ViewOf(from).Move(NameOf(from), ViewOf(to));
        if (!IsRefused(status))
            AssertWrite(model => model.Rename(from, to, SetCondition.IfAbsent), status, from);
    }

    private void SetMany(in StoreCommand command)
    {
        int[] keys = KeysOf(command);
        var condition = command.Condition;
        byte[][] values = [.. keys.Select((_, i) => (byte[])[(byte)i, .. new byte[100 * i]])];
        var source = new EntryArray([.. keys.Select((key, i) => (NameOf(key), values[i]))]);
        var status = ViewOf(command.Key).SetMany(ref source, condition);
        if (IsRefused(status))
            return;
        AssertWrite(model => SetMany(model, keys, values, condition), status, keys);
    }

    private static WriteStatus SetMany(StoreModel model, int[] keys, byte[][] values, SetCondition condition)
    {
        bool holds = keys.All(key => condition == SetCondition.Always
            || (condition == SetCondition.IfPresent) == (model.Find(key) is not null));
        for (int i = 0; i < keys.Length && holds; i++)
            model.Set(keys[i], values[i], default);
        return holds ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    // One to eight keys of one keyspace, some of them twice.
    private static int[] KeysOf(StoreCommand command) =>
        [.. Enumerable.Range(0, 1 + command.Length % KeysPerKeyspace)
            .Select(i => InKeyspaceOf(command.Key, command.Number + i * command.Other))];

    private static int InKeyspaceOf(int key, int other) =>
        key / KeysPerKeyspace * KeysPerKeyspace + other % KeysPerKeyspace;
}
