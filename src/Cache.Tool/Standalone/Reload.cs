using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Commands.Administration;
using Cache.Server.Settings;
using Microsoft.Extensions.Logging;

namespace Cache.Tool.Standalone;

/// <summary>
/// Reads again what can change while the server runs: certificates, the file of users, the level of the log.
/// </summary>
/// <param name="given">What all sources said at the start.</param>
/// <param name="read">Reads all sources anew, and adds what is wrong with them.</param>
/// <param name="level">The level that is in force.</param>
/// <param name="server">The server.</param>
/// <param name="logger">Told of each thing whether it was reloaded, is unchanged, or was refused and why.</param>
internal sealed partial class Reload(
    IReadOnlyList<Setting> given,
    Func<List<string>, IReadOnlyList<Setting>> read, LogLevelSwitch level, RespServer server, ILogger logger)
{
    private static readonly string[] _reloaded = ["loglevel"];

    public async Task RunAsync()
    {
        Begin(logger);
        await TryAsync(ReloadLevelAsync).ConfigureAwait(false);
        await TryAsync(server.ReloadAsync).ConfigureAwait(false); // Whatever became of the level.
    }

    private async Task TryAsync(Func<Task> reload)
    {
        try
        {
            await reload().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // A signal must not end the process; the operator is told.
        catch (Exception e)
#pragma warning restore CA1031
        {
            Failed(logger, e);
        }
    }

    private Task ReloadLevelAsync()
    {
        var problems = new List<string>();
        var settings = new ProgramSettings(new CacheOptions(), new RespServerOptions());
        var present = read(problems);
        settings.Apply(present, problems);
        if (problems.Count == 0 && FindChanged(present) is { Length: > 0 } changed)
            NeedsRestart(logger, string.Join(", ", changed));
        if (problems.Count > 0)
            LevelRefused(logger, string.Join(" ", problems));
        else if (settings.LogLevel == level.Current)
            LevelUnchanged(logger);
        else
            LevelReloaded(logger, LevelledLogger.NameOf(level.Current = settings.LogLevel));
        return Task.CompletedTask;
    }

    // What the files say otherwise than at the start, without effect until a restart. What CONFIG SET made present and
    // CONFIG REWRITE wrote is none of it.
    private string[] FindChanged(IReadOnlyList<Setting> present)
    {
        var before = TextsOf(given);
        var after = TextsOf(present);
        return
        [
            .. before.Keys.Union(after.Keys).Except(_reloaded, StringComparer.OrdinalIgnoreCase)
                .Where(name => before.GetValueOrDefault(name) != after.GetValueOrDefault(name))
                .Where(name => !IsPresent(name, present))
                .Order(StringComparer.Ordinal),
        ];
    }

    private bool IsPresent(string name, IReadOnlyList<Setting> settings) =>
        DirectiveTable.Find(name) is { } directive
        && ConfigRewrite.IsPresent(
            directive,
            [
                .. settings.Where(one => !one.IsForeign && MainNameOf(one) == directive.Name)
                    .Select(static one => one.Text),
            ],
            server.State);

    private static string MainNameOf(Setting setting) =>
        DirectiveTable.Find(setting.Name) is { } directive ? directive.AliasOf ?? directive.Name : setting.Name;

    private static Dictionary<string, string> TextsOf(IReadOnlyList<Setting> settings)
    {
        var texts = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var setting in settings.Where(static one => !one.IsForeign))
        {
            bool adds = DirectiveTable.Find(setting.Name) is { IsRepeated: true } or { Merge: not null };
            string name = MainNameOf(setting);
            texts[name] = (adds ? texts.GetValueOrDefault(name) : "") + '\n' + setting.Text;
        }

        return texts;
    }

    [LoggerMessage(
        9, LogLevel.Warning, "Changed, but not reloaded: {Directives}. A restart takes them, some by CONFIG SET too")]
    private static partial void NeedsRestart(ILogger logger, string directives);

    [LoggerMessage(2, LogLevel.Information, "SIGHUP: reads certificates, users, slots and the log level again")]
    private static partial void Begin(ILogger logger);

    [LoggerMessage(3, LogLevel.Information, "Log level: unchanged")]
    private static partial void LevelUnchanged(ILogger logger);

    // A warning, so that it is seen whatever the level is from now on.
    [LoggerMessage(4, LogLevel.Warning, "Log level: reloaded, it is {Level} from now on")]
    private static partial void LevelReloaded(ILogger logger, string level);

    [LoggerMessage(5, LogLevel.Warning, "Log level: stays as it was, for the configuration is wrong: {Problems}")]
    private static partial void LevelRefused(ILogger logger, string problems);

    [LoggerMessage(6, LogLevel.Error, "Reloading failed; what was not reloaded stays as it was")]
    private static partial void Failed(ILogger logger, Exception exception);
}
