# A tiny shop: an order, its checkout session, the webhook that marks it paid, and a refund. Ruby's standard library only.

require 'json'
require 'net/http'
require_relative 'verify'

# The request was sent, and no answer came: it may have been applied.
LostAnswer = Class.new(StandardError)
# The API refused the request.
Refused = Class.new(StandardError)

# The API over HTTP. Parameters are pairs: a list of hashes is written as `line_items[][name]`.
class Payrex
  def initialize(base_url, secret_key)
    @base_url = base_url
    @secret_key = secret_key
  end

  def request(method, path, pairs = nil)
    uri = URI(@base_url + path)
    request = Net::HTTP.const_get(method.capitalize).new(uri)
    request.basic_auth(@secret_key, '')
    request.set_form_data(pairs) if pairs
    response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', max_retries: 0) do |http|
      http.request(request)
    end
    raise Refused, "HTTP #{response.code}: #{response.body}" unless response.is_a?(Net::HTTPSuccess)

    JSON.parse(response.body)
  rescue SystemCallError, IOError, Timeout::Error => e
    raise LostAnswer, e.message
  end
end

class Shop
  attr_reader :orders

  def initialize(payrex, webhook_secret, live: false)
    @payrex = payrex
    @webhook_secret = webhook_secret
    @live = live
    @orders = {}
    @seen = {}
  end

  # Returns the address of the payment page.
  def checkout(number, item, centavos, quantity)
    session = @payrex.request('POST', '/checkout_sessions', {
      'currency' => 'PHP',
      'line_items[][name]' => item,
      'line_items[][amount]' => centavos,
      'line_items[][quantity]' => quantity,
      'success_url' => 'https://shop.example/thanks',
      'cancel_url' => 'https://shop.example/cart',
      'metadata[order]' => number
    })
    @orders[number] = { session: session['id'], amount: session['amount'], status: 'open', shipped: 0 }
    session['url']
  end

  # Returns why the last payment failed, or nil.
  def problem(number)
    session = @payrex.request('GET', "/checkout_sessions/#{@orders[number][:session]}")
    session.dig('payment_intent', 'last_payment_error', 'code')
  end

  def refund(number)
    order = @orders[number]
    order[:status] = 'refunding'
    @payrex.request('POST', '/refunds', {
      'payment_id' => order[:payment],
      'amount' => order[:amount],
      'currency' => 'PHP',
      'reason' => 'requested_by_customer',
      'metadata[order]' => number
    })
  rescue LostAnswer
    # It may have been made. Sending it again could pay twice: the event refund.created decides.
  rescue Refused
    order[:status] = 'paid'
    raise
  end

  # Takes the exact bytes of a delivery and its Payrex-Signature. Returns the HTTP status.
  def webhook(body, header)
    return 401 unless Verify.genuine?(body, header, @webhook_secret, live: @live)

    event = JSON.parse(body)
    order = @orders[event.dig('data', 'metadata', 'order')]
    return 200 if order.nil? || @seen[event['id']]

    @seen[event['id']] = true
    case event['type']
    when 'payment_intent.succeeded'
      order.update(status: 'paid', payment: event['data']['latest_payment']['id'])
      order[:shipped] += 1
    when 'refund.created'
      order[:status] = 'refunded'
    end
    200
  end
end
