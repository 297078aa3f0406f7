using Cache.Core.Contracts;
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
                int newKey = InKeyspaceOf(command.Key, command.Other);
                var renamed = ViewOf(command.Key).Rename(NameOf(command.Key), NameOf(newKey), command.Condition);
                if (!IsRefused(renamed))
                    Assert.Equal(_model.Rename(command.Key, newKey, command.Condition), renamed);
                break;
            default:
                var copied = ViewOf(command.Key).Copy(
                    NameOf(command.Key), ViewOf(command.Other), NameOf(command.Other), command.Condition);
                if (!IsRefused(copied))
                    Assert.Equal(_model.Copy(command.Key, command.Other, command.Condition), copied);
                break;
        }
    }

    private void GetMany(in StoreCommand command)
    {
        int[] keys = KeysOf(command);
        var source = new KeyArray([.. keys.Select(NameOf)]);
        var sink = new ValueListSink();
        ViewOf(command.Key).GetMany(ref source, ref sink);
        Assert.Equal(keys.Select(key => _model.Read(key)?.Value), sink.Values);
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
        bool holds = keys.All(key => condition == SetCondition.Always
            || (condition == SetCondition.IfPresent) == (_model.Find(key) is not null));
        Assert.Equal(holds ? WriteStatus.Done : WriteStatus.ConditionNotMet, status);
        for (int i = 0; i < keys.Length && holds; i++)
            _model.Set(keys[i], values[i], default);
    }

    // One to eight keys of one keyspace, some of them twice.
    private static int[] KeysOf(StoreCommand command) =>
        [.. Enumerable.Range(0, 1 + command.Length % KeysPerKeyspace)
            .Select(i => InKeyspaceOf(command.Key, command.Number + i * command.Other))];

    private static int InKeyspaceOf(int key, int other) =>
        key / KeysPerKeyspace * KeysPerKeyspace + other % KeysPerKeyspace;
}
