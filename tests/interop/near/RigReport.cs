namespace NearRig;

/// <summary>Counts what was checked.</summary>
internal sealed class RigReport
{
    private int _passed;
    private int _failed;

    public void Check(string what, bool isGood)
    {
        if (isGood)
            _passed++;
        else
            _failed++;
        Console.WriteLine($"{(isGood ? "ok    " : "FAILED")} {what}");
    }

    public async Task RunAsync(string name, Func<Task> scenario)
    {
        try
        {
            await scenario();
        }
        catch (Exception failure)
        {
            Check($"{name}: {failure}", false);
        }
    }

    public int Finish()
    {
        Console.WriteLine($"{_passed} passed, {_failed} failed");
        return _failed == 0 ? 0 : 1;
    }
}
