using Cache.Core;
using Cache.Durability;
using Cache.Hosting;
using Cache.Hosting.Configuration;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Spectre.Console;

#pragma warning disable RS0030 // It is a program, and writes to the console.

namespace Cache.Tool.Standalone;

/// <summary>The server as a program: gathers what the sources say, then runs until it is told to stop.</summary>
internal static class StandaloneHost
{
    private const string DefaultJson = "appsettings.json";

    // What a stop may take beyond the clients' time to take their replies.
    private static readonly TimeSpan _stopAllowance = TimeSpan.FromSeconds(5);

    // How soon it is noticed that the server listens.
    private static readonly TimeSpan _listenPoll = TimeSpan.FromMilliseconds(10);

    /// <returns>
    /// The exit code: 0 after an orderly stop, 1 if the start failed, or if the stop could not write what is kept; then
    /// it was said why.
    /// </returns>
    public static async Task<int> RunAsync(string[] arguments, string? calledAs = null)
    {
        var settings = new ProgramSettings(new CacheOptions(), new RespServerOptions());
        try
        {
            var commandLine = new CommandLine { CalledAs = calledAs };
            return !commandLine.TryParse(arguments) || await RunAsync(commandLine, settings).ConfigureAwait(false)
                ? 0
                : 1;
        }
        catch (OperationCanceledException)
        {
            return 0; // Told to stop while it loaded files.
        }
        catch (Exception e) when (e is SettingException or IOException or ArgumentException
            or Microsoft.Extensions.Options.OptionsValidationException)
        {
            foreach (string problem in e.Message.Split('\n'))
            {
                string text = settings.InWordsOfSources(problem);
                await Console.Error.WriteLineAsync($"cache: {text}").ConfigureAwait(false);
            }

            return 1;
        }
    }

    /// <returns>Whether the stop has written what it was to write.</returns>
    private static async Task<bool> RunAsync(CommandLine commandLine, ProgramSettings settings)
    {
        var problems = new List<string>();
        var json = ReadJson(commandLine.ConfigJson, problems);
        var given = ReadSources(commandLine, json, Environment.GetEnvironmentVariables(), problems);
        settings.Apply(given, problems);
        LogSetup.FindProblems(json, commandLine.ConfigJson ?? DefaultJson, problems);
        if (settings.FindFolderProblem() is { } missing)
            problems.Add(missing);
        if (problems.Count > 0)
            throw new SettingException([.. problems, .. settings.FindStartProblems()]);
        using var signals = new Signals();
        var level = new LogLevelSwitch(settings.LogLevel);
        using var host = Build(given, settings, level, json, commandLine);
        LogSetup.WarnOfNoEffect(host, settings);
        LogSetup.WarnOfOverrides(host, given);
        var durability = host.Services.GetRequiredService<CacheDurability>();
        await using var http = await StartAsync(host, settings, durability).ConfigureAwait(false);
        var reload = new Reload(
            given,
            found => ReadSources(
                commandLine, ReadJson(commandLine.ConfigJson, found), Environment.GetEnvironmentVariables(), found),
            level,
            host.Services.GetRequiredService<RespServer>(),
            host.Services.GetRequiredService<ILoggerFactory>().CreateLogger<Reload>());
        signals.OnHangUp(() => _ = reload.RunAsync());
        if (!Console.IsOutputRedirected)
        {
            Greeting.Write(
                AnsiConsole.Console,
                host.Services.GetRequiredService<RespServer>(),
                host.Services.GetRequiredService<CacheStore>(),
                settings.Server);
        }

        await host.WaitForShutdownAsync().ConfigureAwait(false);
        return durability.GetStatus().StopFailedBecause is null;
    }

    /// <returns>The HTTP port; null if there is none.</returns>
    private static async Task<HttpFront?> StartAsync(
        IHost host, ProgramSettings settings, CacheDurability durability)
    {
        using var loading = Console.IsErrorRedirected
            ? null
            : new LoadBar(Console.Error, durability.GetStatus, TimeProvider.System);
        if (settings.HttpPort == 0)
        {
            await host.StartAsync().ConfigureAwait(false);
            return null;
        }

        // It answers while files are loaded, but not before the server listens.
        using var failed = new CancellationTokenSource();
        var server = host.Services.GetRequiredService<RespServer>();
        var starting = host.StartAsync(failed.Token);
        while (server.EndPoints.Count == 0 && !starting.IsCompleted)
            await Task.WhenAny(starting, Task.Delay(_listenPoll, TimeProvider.System)).ConfigureAwait(false);
        if (starting.IsFaulted || starting.IsCanceled)
            await starting.ConfigureAwait(false);
        HttpFront? http = null;
        try
        {
            http = await HttpFront.StartAsync(
                settings, server, host.Services.GetRequiredService<ILoggerFactory>(),
                host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping).ConfigureAwait(false);
            await starting.ConfigureAwait(false);
            return http;
        }
        catch
        {
            await failed.CancelAsync().ConfigureAwait(false);
            await starting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (starting.IsCompletedSuccessfully)
                await host.StopAsync().ConfigureAwait(false); // Clients may have written meanwhile.
            if (http is not null)
                await http.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>What all sources say, in the order of precedence: the last one for a directive counts.</summary>
    /// <param name="commandLine">What the command line says, and which files.</param>
    /// <param name="json">What the JSON file says.</param>
    /// <param name="environment">All environment variables.</param>
    /// <param name="problems">Gets what cannot be understood, each with its place.</param>
    internal static IReadOnlyList<Setting> ReadSources(
        CommandLine commandLine, IConfiguration json, System.Collections.IDictionary environment, List<string> problems)
    {
        problems.AddRange(commandLine.Problems);
        List<Setting> given =
        [
            .. commandLine.ConfigFile is { } path ? ConfigFile.Read(path, problems) : [],
            .. JsonSettings.Read(
                json, commandLine.ConfigJson ?? DefaultJson, problems, isNamed: commandLine.ConfigJson is not null),
            .. EnvironmentSettings.Read(environment, problems),
            .. commandLine.Settings,
        ];
        return OverridesFile.AddTo(commandLine.ConfigFile, given, problems);
    }

    private static IConfigurationRoot ReadJson(string? path, List<string> problems)
    {
        try
        {
            string fullPath = Path.GetFullPath(path ?? DefaultJson);
            return new ConfigurationBuilder().AddJsonFile(fullPath, optional: path is null).Build();
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            string detail = e is InvalidDataException ? $" {e.GetBaseException().Message}" : "";
            problems.Add(e.Message + detail);
            return new ConfigurationBuilder().Build();
        }
    }

    private static IHost Build(
        IReadOnlyList<Setting> given,
        ProgramSettings settings,
        LogLevelSwitch level,
        IConfiguration json,
        CommandLine commandLine)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        LogSetup.AddTo(builder.Logging, settings, level, json);
        builder.Services
            .Configure<ConsoleLifetimeOptions>(static o => o.SuppressStatusMessages = true)
            .Configure<HostOptions>(o => o.ShutdownTimeout = settings.Server.DrainTimeout + _stopAllowance)
            .AddCacheStore(o => new ProgramSettings(o, new RespServerOptions()).Apply(given))
            .AddCacheDurability(o => new ProgramSettings(new CacheOptions(), new RespServerOptions())
            {
                Durability = ProgramSettings.ToDefaults(o),
            }.Apply(given))
            .AddCacheServer(o =>
            {
                new ProgramSettings(new CacheOptions(), o).Apply(given);
                o.MessageWords = settings.InWordsOfSources;
                o.ConfigurationFile = commandLine.ConfigFile;
                o.Origins = settings.Origins;
                o.LogLevel = level;
                if (CacheScriptingExtensions.IsAvailable)
                    o.UseScripting();
            });
        builder.Services.AddOptions<RespServerOptions>().Configure<IHostApplicationLifetime>(
            static (o, lifetime) => o.ShutdownRequested = lifetime.StopApplication);
        try
        {
            return builder.Build();
        }
        catch (InvalidOperationException e)
        {
            // An option of a formatter, say, that cannot be bound.
            throw new SettingException($"{commandLine.ConfigJson ?? DefaultJson}, Logging: {e.Message}");
        }
    }
}
