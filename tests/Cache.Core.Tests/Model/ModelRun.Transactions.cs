namespace Cache.Core.Tests.Model;

/// <summary>The same commands, several at a time in a transaction that has locked all keys.</summary>
internal sealed partial class ModelRun
{
    private const int CommandsPerTransaction = 8;

    public void RunInTransactions(StoreCommand[] commands, int keyCount)
    {
        for (int i = 0; i < commands.Length;)
        {
            if (!IsForKeys(commands[i]))
            {
                RunAndCompare(commands[i], i++);
                continue;
            }

            int count = 1;
            while (count < CommandsPerTransaction && i + count < commands.Length && IsForKeys(commands[i + count]))
                count++;
            var transaction = new Transaction(this, commands, i, count, keyCount);
            Store.Transact(ref transaction);
            TakeEvictions();
            i += count;
        }

        CompareAll();
    }

    // A refused SetMany is all or nothing outside of a transaction only.
    private static bool IsForKeys(in StoreCommand command) => command.Kind is not (
        StoreCommandKind.Advance or StoreCommandKind.Scan or StoreCommandKind.RandomKey or StoreCommandKind.SetMany
        or StoreCommandKind.Clear) || (command.Kind == StoreCommandKind.Clear && command.Number % 16 == 0);

    private readonly struct Transaction(ModelRun run, StoreCommand[] commands, int first, int count, int keyCount)
        : ITransaction
    {
        public int KeyCount => keyCount;

        public int WriteCount => count * 2; // A rename is two.

        public long WrittenBytes => count * (long)ValueLengthMax / 8;

        public ReadOnlySpan<byte> GetKey(int index) => run.NameOf(index);

        public int GetKeyspace(int index) => KeyspaceOf(index);

        public void Run(CacheStore store)
        {
            run._view = store;
            try
            {
                run.TakeEvictions(); // For the room that was made.
                for (int i = first; i < first + count; i++)
                    run.RunAndCompare(commands[i], i);
            }
            finally
            {
                run._view = null;
            }
        }
    }
}
