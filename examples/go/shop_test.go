package shop

// The shop's tests, in a namespace of a served sandbox: centavo sandbox serve, then go test.

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

func orElse(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// app is the shop behind an address of this machine, which the sandbox sends events to.
type app struct {
	*Shop
	t          *testing.T
	isDown     atomic.Bool
	deliveries chan [2]string
}

func start(t *testing.T) *app {
	t.Helper()
	// A key of your own is a sandbox of its own: each test that runs at the same time needs another name.
	payrex := Payrex{orElse("PAYREX_BASE_URL", "http://127.0.0.1:4010"), orElse("PAYREX_SECRET_KEY", "sk_test_ns_go") + "-" + t.Name()}
	a := &app{Shop: &Shop{Payrex: payrex}, t: t, deliveries: make(chan [2]string, 100)}
	a.control("POST", "reset", nil, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		header := r.Header.Get("Payrex-Signature")
		a.deliveries <- [2]string{string(body), header}
		if a.isDown.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(a.Webhook(body, header))
	}))
	t.Cleanup(server.Close)
	var webhook struct {
		SecretKey string `json:"secret_key"`
	}
	a.must(payrex.Request("POST", "/webhooks", url.Values{
		"url":      {server.URL + "/webhooks/payrex"},
		"events[]": {"payment_intent.succeeded", "refund.created"},
	}, &webhook))
	a.WebhookSecret = webhook.SecretKey
	_, err := a.Checkout("A-1", "T-shirt", 45_000, 2)
	a.must(err)
	return a
}

func (a *app) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// control does what a test does besides the API: it pays as the customer, moves the clock, plans failures.
func (a *app) control(method, path string, form url.Values, out any) {
	a.t.Helper()
	if out == nil {
		out = &struct{}{}
	}
	a.must(a.Payrex.Request(method, "/_centavo/"+path, form, out))
}

// pay returns when the events were delivered.
func (a *app) pay(how url.Values) (outcome string) {
	a.t.Helper()
	form := url.Values{"id": {a.Order("A-1").Session}}
	for name, values := range how {
		form[name] = values
	}
	var paid struct{ Outcome string }
	a.control("POST", "pay", form, &paid)
	return paid.Outcome
}

// settled waits until all events that are due were delivered.
func (a *app) settled() {
	a.t.Helper()
	a.control("POST", "time", url.Values{"advance": {"0s"}}, nil)
}

func (a *app) wantStatus(want string) {
	a.t.Helper()
	equal(a.t, a.Order("A-1").Status, want)
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestCheckout(t *testing.T) {
	t.Parallel()
	a := start(t)
	page, err := a.Checkout("A-2", "Notebook", 12_500, 3)
	a.must(err)
	response, err := http.Get(page)
	a.must(err)
	defer response.Body.Close()
	html, _ := io.ReadAll(response.Body)
	equal(t, strings.Contains(string(html), "Notebook"), true)
	equal(t, a.Order("A-2").Amount, 37_500)
	equal(t, a.Order("A-2").Status, "open")
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	a := start(t)
	equal(t, a.pay(url.Values{"method": {"gcash"}}), "paid")
	a.wantStatus("paid")
	// The service may send an event twice, and anybody may send a forged one.
	sent := <-a.deliveries
	equal(t, a.Webhook([]byte(sent[0]), sent[1]), 200)
	equal(t, a.Order("A-1").Shipped, 1)
	equal(t, a.Webhook([]byte(sent[0]+" "), sent[1]), 401)
	equal(t, a.Webhook([]byte(sent[0]), ""), 401)
}

func TestRefund(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.pay(nil)
	a.must(a.Refund("A-1"))
	a.settled()
	a.wantStatus("refunded")
}

func TestRetryAfterA500(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.isDown.Store(true)
	a.pay(nil)
	a.wantStatus("open")
	a.isDown.Store(false)
	a.control("POST", "time", url.Values{"advance": {"1m"}}, nil)
	a.wantStatus("paid")
	equal(t, len(a.deliveries), 2)
}

func TestFailedPayment(t *testing.T) {
	t.Parallel()
	a := start(t)
	equal(t, a.pay(url.Values{"card": {"insufficient_funds"}}), "failed")
	a.wantStatus("open")
	problem, err := a.Problem("A-1")
	a.must(err)
	equal(t, problem, "funds_insufficient")
	a.pay(nil)
	a.wantStatus("paid")
}

func TestLostAnswer(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.pay(nil)
	a.control("POST", "failures", url.Values{"operation": {"refunds.create"}, "drop": {"after"}}, nil)
	a.must(a.Refund("A-1"))
	a.settled()
	a.wantStatus("refunded")
	var events struct{ Data []struct{ ID string } }
	a.control("GET", "events?type=refund.created", nil, &events)
	equal(t, len(events.Data), 1)
}
