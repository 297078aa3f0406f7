using System.Net;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Hosting.Tests;

/// <summary>A host that reads no configuration and logs nowhere.</summary>
internal static class TestHost
{
    public static IHost Build(Action<IServiceCollection> configure)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        configure(builder.Services);
        return builder.Build();
    }

    public static EndPoint EndPointOf(IHost host) =>
        Assert.Single(host.Services.GetRequiredService<RespServer>().EndPoints);
}
