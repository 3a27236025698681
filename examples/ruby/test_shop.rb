# The shop's tests, in a namespace of a served sandbox: centavo sandbox serve, then ruby test_shop.rb.

require 'minitest/autorun'
require 'socket'
require_relative 'shop'

BASE_URL = ENV.fetch('PAYREX_BASE_URL', 'http://127.0.0.1:4010')
# A key of your own is a sandbox of its own: each process that runs at the same time needs another name.
SECRET_KEY = ENV.fetch('PAYREX_SECRET_KEY', "sk_test_ns_minitest#{ENV.fetch('TEST_ENV_NUMBER', '')}")

# An address of this machine that the sandbox sends events to, with what arrived.
class Receiver
  attr_reader :deliveries
  attr_accessor :handler

  def initialize
    @server = TCPServer.new('127.0.0.1', 0)
    @deliveries = []
    @thread = Thread.new { loop { take(@server.accept) } }
  end

  def url = "http://127.0.0.1:#{@server.addr[1]}/webhooks/payrex"

  def close
    @thread.kill.join
    @server.close
  end

  private

  def take(socket)
    headers = {}
    while (line = socket.gets&.chomp) && !line.empty?
      name, value = line.split(': ', 2)
      headers[name.downcase] = value
    end
    body = socket.read(headers['content-length'].to_i)
    @deliveries << [body, headers['payrex-signature']]
    status = @handler.call(*@deliveries.last)
    socket.write("HTTP/1.1 #{status} Answered\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  ensure
    socket.close
  end
end

class ShopTest < Minitest::Test
  def setup
    @payrex = Payrex.new(BASE_URL, SECRET_KEY)
    control('POST', 'reset')
    @receiver = Receiver.new
    webhook = @payrex.request('POST', '/webhooks', {
      'url' => @receiver.url,
      'events[]' => ['payment_intent.succeeded', 'refund.created']
    })
    @shop = Shop.new(@payrex, webhook['secret_key'])
    @receiver.handler = @shop.method(:webhook)
    @url = @shop.checkout('A-1', 'T-shirt', 45_000, 2)
  end

  def teardown = @receiver.close

  # What a test does besides the API: pay as the customer, move the clock, plan failures.
  def control(method, path, params = nil) = @payrex.request(method, "/_centavo/#{path}", params)

  # Returns when the events were delivered.
  def pay(how = {}) = control('POST', 'pay', { 'id' => order[:session], **how })

  # Waits until all events that are due were delivered.
  def settled = control('POST', 'time', { 'advance' => '0s' })

  def order = @shop.orders['A-1']

  def test_checkout
    assert_includes Net::HTTP.get(URI(@url)), 'T-shirt'
    assert_equal [90_000, 'open'], order.values_at(:amount, :status)
  end

  def test_webhook
    assert_equal 'paid', pay('method' => 'gcash')['outcome']
    assert_equal 'paid', order[:status]
    # The service may send an event twice, and anybody may send a forged one.
    (body, header), = @receiver.deliveries
    assert_equal 200, @shop.webhook(body, header)
    assert_equal 1, order[:shipped]
    assert_equal 401, @shop.webhook("#{body} ", header)
    assert_equal 401, @shop.webhook(body, nil)
  end

  def test_refund
    pay
    @shop.refund('A-1')
    settled
    assert_equal 'refunded', order[:status]
  end

  def test_retry_after_a_500
    @receiver.handler = ->(*) { 500 }
    pay
    assert_equal 'open', order[:status]
    @receiver.handler = @shop.method(:webhook)
    control('POST', 'time', { 'advance' => '1m' })
    assert_equal 'paid', order[:status]
    assert_equal 2, @receiver.deliveries.size
  end

  def test_failed_payment
    assert_equal 'failed', pay('card' => 'insufficient_funds')['outcome']
    assert_equal 'open', order[:status]
    assert_equal 'funds_insufficient', @shop.problem('A-1')
    pay
    assert_equal 'paid', order[:status]
  end

  def test_lost_answer
    pay
    control('POST', 'failures', { 'operation' => 'refunds.create', 'drop' => 'after' })
    @shop.refund('A-1')
    settled
    assert_equal 'refunded', order[:status]
    assert_equal 1, control('GET', 'events?type=refund.created')['data'].size
  end
end
