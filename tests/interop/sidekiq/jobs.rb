# The jobs of sidekiq.rb, which both its client and its worker load. Needs SIDEKIQ_URL, a database of its own.
require "sidekiq"

# The worker and the client of its distribution do not quite fit.
Redis.silence_deprecations = true

Sidekiq.configure_client { |config| config.redis = { url: ENV.fetch("SIDEKIQ_URL") } }
Sidekiq.configure_server do |config|
  config.redis = { url: ENV.fetch("SIDEKIQ_URL") }
  config.options[:poll_interval_average] = 0.2
end

# Leaves a trace of each run: how often, in which order.
class Trace
  include Sidekiq::Worker

  def perform(list, value)
    Sidekiq.redis { |redis| redis.rpush("trace:#{list}", value) }
  end
end

# Fails as often as it is told.
class Failing
  include Sidekiq::Worker
  sidekiq_options retry: 2

  def perform(name, failures)
    runs = Sidekiq.redis { |redis| redis.incr("runs:#{name}") }
    raise "failed on purpose, run #{runs}" if runs <= failures
  end
end

class Urgent < Trace
  sidekiq_options queue: "urgent"
end

# Longer than the worker waits when it is told to stop.
class Long
  include Sidekiq::Worker

  def perform(name)
    Sidekiq.redis { |redis| redis.incr("runs:#{name}") }
    sleep 60
  end
end
