using Cache.Core;
using Cache.Core.DependencyInjection;
using Cache.Hosting;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Spectre.Console;
using StandaloneServer.Configuration;

namespace StandaloneServer;

/// <summary>The server as a program: gathers what the sources say, then runs until it is told to stop.</summary>
internal static class StandaloneHost
{
    private const string DefaultJson = "appsettings.json";

    // What a stop may take beyond the clients' time to take their replies.
    private static readonly TimeSpan _stopAllowance = TimeSpan.FromSeconds(5);

    /// <returns>The exit code: 0 after an orderly stop, 1 if the start failed; then it was said why.</returns>
    public static async Task<int> RunAsync(string[] arguments)
    {
        try
        {
            var commandLine = new CommandLine();
            if (commandLine.TryParse(arguments))
                await RunAsync(commandLine).ConfigureAwait(false);
            return 0;
        }
        catch (Exception e) when (e is SettingException or IOException or ArgumentException
            or Microsoft.Extensions.Options.OptionsValidationException)
        {
            await Console.Error.WriteLineAsync($"cache: {e.Message}").ConfigureAwait(false);
            return 1;
        }
    }

    private static async Task RunAsync(CommandLine commandLine)
    {
        var json = ReadJson(commandLine.ConfigJson);
        var given = ReadSources(commandLine, json, Environment.GetEnvironmentVariables());
        var settings = new ServerSettings(new CacheOptions(), new RespServerOptions()).Apply(given);
        using var host = Build(given, settings, json);
        await host.StartAsync().ConfigureAwait(false);
        if (!Console.IsOutputRedirected)
        {
            Greeting.Write(
                AnsiConsole.Console,
                host.Services.GetRequiredService<RespServer>(),
                host.Services.GetRequiredService<CacheStore>(),
                needsPassword: settings.Server.RequirePass is not null);
        }

        await host.WaitForShutdownAsync().ConfigureAwait(false);
    }

    /// <summary>What all sources say, in the order of precedence: the last one for a directive counts.</summary>
    internal static IReadOnlyList<Setting> ReadSources(
        CommandLine commandLine, IConfiguration json, System.Collections.IDictionary environment) =>
    [
        .. commandLine.ConfigFile is { } path ? ConfigFile.Read(path) : [],
        .. JsonSettings.Read(json, commandLine.ConfigJson ?? DefaultJson),
        .. EnvironmentSettings.Read(environment),
        .. commandLine.Settings,
    ];

    private static IConfigurationRoot ReadJson(string? path)
    {
        try
        {
            string fullPath = Path.GetFullPath(path ?? DefaultJson);
            return new ConfigurationBuilder().AddJsonFile(fullPath, optional: path is null).Build();
        }
        catch (Exception e) when (e is IOException or InvalidDataException)
        {
            string detail = e is InvalidDataException ? $" {e.GetBaseException().Message}" : "";
            throw new SettingException(e.Message + detail);
        }
    }

    private static IHost Build(IReadOnlyList<Setting> given, ServerSettings settings, IConfiguration json)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging
            .AddConfiguration(json.GetSection("Logging"))
            .AddSimpleConsole(static o => (o.SingleLine, o.TimestampFormat) = (true, "yyyy-MM-dd HH:mm:ss.fff "))
            .SetMinimumLevel(settings.LogLevel)
            // A start that fails is told once, without a stack trace.
            .AddFilter("Microsoft.Extensions.Hosting", LogLevel.None);
        builder.Services
            .Configure<ConsoleLifetimeOptions>(static o => o.SuppressStatusMessages = true)
            .Configure<HostOptions>(o => o.ShutdownTimeout = settings.Server.DrainTimeout + _stopAllowance)
            .AddCacheStore(o => new ServerSettings(o, new RespServerOptions()).Apply(given))
            .AddCacheServer(o => new ServerSettings(new CacheOptions(), o).Apply(given));
        return builder.Build();
    }
}
