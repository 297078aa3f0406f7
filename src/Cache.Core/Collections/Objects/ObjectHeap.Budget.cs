namespace Cache.Core.Collections.Objects;

/// <content>What pages are paid with.</content>
internal sealed partial class ObjectHeap
{
    // Called by who takes a page, perhaps holding an object: it never waits.
    private bool TryPay(long bytes, bool mayOverdraw)
    {
        if (_prepaidOfThread >= bytes)
        {
            _prepaidOfThread -= bytes;
            return true;
        }

        if (_budget.TryTake(bytes, _spareBytes()))
            return true;
        // What is undone was there before. A removal may pass the limit by a part, also beside a thread that claims: it
        // looks again.
        if (!_overdrawsOfThread && (!mayOverdraw || !_budget.HasRoomFor(bytes - _overdraftBytes())))
            return false;
        _budget.Add(bytes);
        return true;
    }
}
