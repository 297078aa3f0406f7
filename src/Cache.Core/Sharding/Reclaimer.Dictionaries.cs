using Cache.Core.Compression;

namespace Cache.Core.Sharding;

/// <summary>The sweep's part in the dictionaries of compressed values.</summary>
internal sealed partial class Reclaimer
{
    /// <summary>Starts the training of a dictionary, uses a trained one, and forgets those that no value needs.</summary>
    private void TendDictionaries()
    {
        var packer = _state.Packer;
        if (packer.IsIdle)
            return;
        using (EnterGate())
        {
            _budget.Add(-packer.ForgetUnneeded());
            packer.TendTraining();
        }

        if (!packer.HasTrained || !MakeRoom(Lz4Dictionary.SizeMax, 0, 0))
            return;
        using (EnterGate())
        {
            _budget.Add(Lz4Dictionary.SizeMax);
            packer.UseTrained();
        }
    }
}
