using System.Globalization;
using System.Text;
using Cache.Protocol;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Cluster;

/// <summary>Whether the keys of one command, or of all commands of a transaction, belong to this server.</summary>
/// <remarks>In the order of Redis 7.0's getNodeByQuery, so that the same mistake gets the same reply.</remarks>
/// <param name="view">Who owns which slot.</param>
internal struct SlotCheck(SlotView view)
{
    /// <summary>No slot, since there is no key.</summary>
    public const int None = -1;

    private int _slot = None;
    private SlotFault _fault;

    /// <summary>Adds the keys of a command; those of sharded channels count as such.</summary>
    public void Take(CommandDefinition command, in RespRequest request)
    {
        var keys = new KeyEnumerator(command, request, 0);
        while (_fault == SlotFault.None && keys.MoveNext())
            Take(KeySlot.Of(request[keys.Index]));
    }

    /// <summary>The error reply; null: the command may be executed here.</summary>
    /// <param name="downError">What is replied to it because of the cluster's state; null: nothing.</param>
    public readonly byte[]? FindError(byte[]? downError)
    {
        if (_slot == None)
            return null;
        return _fault switch
        {
            SlotFault.NotServed => "CLUSTERDOWN Hash slot not served"u8.ToArray(),
            SlotFault.Crossed => "CROSSSLOT Keys in request don't hash to the same slot"u8.ToArray(),
            _ when downError is not null => downError,
            _ when !view.Owns(_slot) => Moved(),
            _ => null,
        };
    }

    /// <summary>
    /// The same for a command of a script, with the texts of Redis 7.0's scriptVerifyClusterState.
    /// </summary>
    /// <param name="downError">What is replied to it because of the cluster's state; null: nothing.</param>
    /// <param name="usedSlot">
    /// The slot that the script may use; <see cref="None"/>: it has used none yet, so this one from now on. Null: all.
    /// </param>
    public readonly byte[]? FindErrorInScript(byte[]? downError, ref int? usedSlot)
    {
        if (_slot == None)
            return null;
        if (_fault == SlotFault.None && downError is not null)
            return downError;
        if (_fault != SlotFault.None || !view.Owns(_slot))
            return "ERR Script attempted to access a non local key in a cluster node"u8.ToArray();
        if (usedSlot == None)
            usedSlot = _slot;
        return usedSlot is null || usedSlot == _slot
            ? null
            : "ERR Script attempted to access keys that do not hash to the same slot"u8.ToArray();
    }

    private void Take(int slot)
    {
        if (_slot != None)
            _fault = slot == _slot ? SlotFault.None : SlotFault.Crossed;
        else if (view.Map.OwnerOf(slot) == SlotMap.Nobody)
            _fault = SlotFault.NotServed;
        if (_slot == None)
            _slot = slot;
    }

    private readonly byte[] Moved()
    {
        var owner = view.Map.Nodes[view.Map.OwnerOf(_slot)];
        return Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"MOVED {_slot} {owner}"));
    }

    private enum SlotFault
    {
        None,
        NotServed,
        Crossed,
    }
}
