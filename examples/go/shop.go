// Package shop is a tiny shop: an order, its checkout session, the webhook that marks it paid, and a refund.
// It uses Go's standard library only.
package shop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// ErrLostAnswer says that the request was sent, and no answer came: it may have been applied.
var ErrLostAnswer = errors.New("no answer")

// Payrex is the API over HTTP.
type Payrex struct {
	BaseURL, SecretKey string
}

// Request sends a form, in which a list of hashes is written as `line_items[][name]`, and reads the answer into out.
func (p Payrex) Request(method, path string, form url.Values, out any) error {
	request, err := http.NewRequest(method, p.BaseURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.SetBasicAuth(p.SecretKey, "")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrLostAnswer, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrLostAnswer, err)
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("HTTP %d: %s", response.StatusCode, body)
	}
	return json.Unmarshal(body, out)
}

// Order is what a real shop has in a table.
type Order struct {
	Session, Payment, Status string
	Amount, Shipped          int
}

// Shop takes events while it works, so that its orders are locked.
type Shop struct {
	Payrex        Payrex
	WebhookSecret string
	Live          bool

	mu     sync.Mutex
	orders map[string]Order
	seen   map[string]bool
}

// Order returns a copy.
func (s *Shop) Order(number string) Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[number]
}

func (s *Shop) change(number string, change func(*Order)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := s.orders[number]
	change(&order)
	if s.orders == nil {
		s.orders = map[string]Order{}
	}
	s.orders[number] = order
}

// Checkout returns the address of the payment page.
func (s *Shop) Checkout(number, item string, centavos, quantity int) (string, error) {
	var session struct {
		ID, URL string
		Amount  int
	}
	err := s.Payrex.Request("POST", "/checkout_sessions", url.Values{
		"currency":               {"PHP"},
		"line_items[][name]":     {item},
		"line_items[][amount]":   {strconv.Itoa(centavos)},
		"line_items[][quantity]": {strconv.Itoa(quantity)},
		"success_url":            {"https://shop.example/thanks"},
		"cancel_url":             {"https://shop.example/cart"},
		"metadata[order]":        {number},
	}, &session)
	if err == nil {
		s.change(number, func(o *Order) { *o = Order{Session: session.ID, Amount: session.Amount, Status: "open"} })
	}
	return session.URL, err
}

// Problem returns why the last payment failed, or an empty text.
func (s *Shop) Problem(number string) (string, error) {
	var session struct {
		PaymentIntent struct {
			LastPaymentError struct{ Code string } `json:"last_payment_error"`
		} `json:"payment_intent"`
	}
	err := s.Payrex.Request("GET", "/checkout_sessions/"+s.Order(number).Session, nil, &session)
	return session.PaymentIntent.LastPaymentError.Code, err
}

// Refund returns an error only if the refund was refused.
func (s *Shop) Refund(number string) error {
	order := s.Order(number)
	s.change(number, func(o *Order) { o.Status = "refunding" })
	err := s.Payrex.Request("POST", "/refunds", url.Values{
		"payment_id":      {order.Payment},
		"amount":          {strconv.Itoa(order.Amount)},
		"currency":        {"PHP"},
		"reason":          {"requested_by_customer"},
		"metadata[order]": {number},
	}, &struct{}{})
	if err == nil || errors.Is(err, ErrLostAnswer) {
		// Without an answer, it may have been made. Sending it again could pay twice: the event refund.created decides.
		return nil
	}
	s.change(number, func(o *Order) { o.Status = "paid" })
	return err
}

// Webhook takes the exact bytes of a delivery and its Payrex-Signature. It returns the HTTP status.
func (s *Shop) Webhook(body []byte, header string) int {
	if !IsGenuine(body, header, s.WebhookSecret, s.Live) {
		return http.StatusUnauthorized
	}
	var event struct {
		ID, Type string
		Data     struct {
			Metadata      struct{ Order string }
			LatestPayment struct{ ID string } `json:"latest_payment"`
		}
	}
	if json.Unmarshal(body, &event) != nil {
		return http.StatusBadRequest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	order, known := s.orders[event.Data.Metadata.Order]
	if !known || s.seen[event.ID] {
		return http.StatusOK
	}
	switch event.Type {
	case "payment_intent.succeeded":
		order.Status, order.Payment = "paid", event.Data.LatestPayment.ID
		order.Shipped++
	case "refund.created":
		order.Status = "refunded"
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[event.ID] = true
	s.orders[event.Data.Metadata.Order] = order
	return http.StatusOK
}
