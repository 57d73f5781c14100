/** What a program does with `@corridor/client`; test/client/support/scenarios.py does the same in Python. */
import { CorridorError, createCorridor, verifyWebhook, WebhookRefused } from "@corridor/client"

const { API_KEY, DELIVERY, FLAKY_URL, ORG_ID, STAFF_JWT, STAFF_ID, URL } = process.env
const corridor = createCorridor({ url: `${URL}/v1`, apiKey: API_KEY })
const asStaff = createCorridor({ url: URL, token: () => STAFF_JWT })
const flaky = createCorridor({ url: FLAKY_URL, apiKey: API_KEY })

/** Through a proxy whose first answer has this status, with this Retry-After. */
const answering = (first) => createCorridor({ url: `${FLAKY_URL}/${first}`, apiKey: API_KEY })

const payer = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }
const order = {
  amount: 1500,
  currency: "KES",
  target_amount: 1500,
  target_currency: "KES",
  payment_method: "mobile_money",
  direction: "payin",
  country: "KE",
  payer_details: payer,
  mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
}

const text = (amount) => amount.toFixed(2)

const refusal = async (call) => {
  try {
    await call
    return "done"
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error
    return { status: error.status, code: error.code ?? null, field: error.field ?? null }
  }
}

const openAccount = async () => {
  const payload = { org_id: ORG_ID, user_id: STAFF_ID, currency: "KES" }
  return { account_id: (await asStaff.virtualAccounts.create({ payload })).data.account_id }
}

const scenarios = {
  payin: async () => {
    const { response } = await corridor.paymentsInit.initiate({
      payload: { ...order, amount: 1500.5, target_amount: 1500.5 }
    })
    const payment = await corridor.payments.byId({ path: { payment_id: response.payment_id } })
    return [response.status, text(payment.amount), payment.currency]
  },
  "payout that is declined": async () => {
    const payload = {
      account_type: "mobile_money",
      beneficiary_type: "individual",
      country: "KE",
      currency: "KES",
      fname: "Otieno",
      lname: "Odhiambo",
      momo_details: { provider: "mpesa", phone_number: "+254712340001" }
    }
    const { data } = await corridor.beneficiaries.create({ payload })
    const { payer_details: _, ...rest } = order
    const details = { provider: "mpesa", phone_number: "+254712340001" }
    const payout = { ...rest, direction: "payout", beneficiary_id: data.beneficiary_id, mobile_money_details: details }
    return refusal(corridor.paymentsInit.initiate({ payload: payout }))
  },
  "pages, by both names of the cursor": async () => {
    for (const name of ["One", "Two", "Three"]) await corridor.apiKeys.create({ payload: { name, role: "member" } })
    const names = []
    for await (const key of corridor.apiKeys.list.all({ urlParams: { limit: 2 } })) names.push(key.name)
    const roles = []
    for await (const { role } of corridor.members.list.all({ path: { org_id: ORG_ID }, urlParams: { limit: 1 } }))
      roles.push(role)
    return [names.slice(0, 3), roles.sort()]
  },
  "the same key is the same payment": async () => {
    const pay = async (about) => (await corridor.paymentsInit.initiate({ payload: order }, about)).response.payment_id
    const key = crypto.randomUUID()
    const [first, again, other] = [await pay({ idempotencyKey: key }), await pay({ idempotencyKey: key }), await pay()]
    return [first === again, first === other]
  },
  "another body with the same key": async () => {
    const about = { idempotencyKey: crypto.randomUUID() }
    await corridor.paymentsInit.initiate({ payload: order }, about)
    const other = { ...order, amount: 1600, target_amount: 1600 }
    return refusal(corridor.paymentsInit.initiate({ payload: other }, about))
  },
  "retries a payment after 503 and a lost answer": async () =>
    (await flaky.paymentsInit.initiate({ payload: order })).response.status,
  "retries a read after 503 and a lost answer": async () => (await flaky.webhooks.list()).status,
  "sends what no key protects once": () => refusal(flaky.apiKeys.create({ payload: { name: "Till", role: "member" } })),
  "waits after 429, also without a key": async () =>
    (await answering("429-0").apiKeys.create({ payload: { name: "Till", role: "member" } })).data.name,
  "waits while the first request with its key is running": async () =>
    (await answering("409-0").paymentsInit.initiate({ payload: order })).response.status,
  "does not wait for an hour": () => refusal(answering("503-3600").webhooks.list()),
  "does not read a wait of thousands of digits": () => refusal(answering(`503-${"9".repeat(5000)}`).webhooks.list()),
  "takes a refusal as it is": () => refusal(answering("500").webhooks.list()),
  "returns the key of a payment whose outcome is not known": async () => {
    const { initiate } = answering("504").paymentsInit
    const error = await initiate({ payload: order }).catch((failed) => failed)
    const again = await initiate({ payload: order }, { idempotencyKey: error.idempotencyKey })
    return [error.status, again.response.status]
  },
  "verifies webhooks": async () => {
    const found = {}
    for (const [name, { body, headers, now, only, secret }] of Object.entries(JSON.parse(DELIVERY))) {
      try {
        const event = await verifyWebhook({ body, headers, secret, now: now * 1000, ...(only ? { only } : {}) })
        found[name] = `${event.event_type} ${text(event.data.amount)}`
      } catch (error) {
        if (!(error instanceof WebhookRefused)) throw error
        found[name] = error.message.split(" ")[0]
      }
    }
    return found
  },
  "locks a rate for a payment in another currency": async () => {
    const urlParams = { fromCurrency: "KES", toCurrency: "USD", amount: 1500 }
    const { data } = await corridor.rates.lookup({ urlParams })
    const cross = { target_amount: data.target_amount, target_currency: "USD", org_rate_id: data.org_rate_id }
    const { response } = await corridor.paymentsInit.initiate({ payload: { ...order, ...cross } })
    const payment = await corridor.payments.byId({ path: { payment_id: response.payment_id } })
    return [response.status, payment.target_amount === data.target_amount, text(payment.amount)]
  },
  "names the field of a bad request": () =>
    refusal(corridor.paymentsInit.initiate({ payload: { ...order, amount: -1 } })),
  "keeps every digit of an amount": async () => {
    const path = await openAccount()
    const found = []
    for (const amount of [0.1, 12345678901.23, 0.2]) {
      const deposit = await corridor.virtualAccounts.simulateDeposit({ path, payload: { amount } })
      found.push(text(deposit.data.amount))
    }
    const { data } = await corridor.virtualAccounts.get({ path })
    return [...found, text(data.balance)]
  },
  "is refused without a valid key": () =>
    refusal(createCorridor({ url: URL, apiKey: "ck_test_wrong" }).webhooks.list()),
  "needs an answer": () =>
    refusal(createCorridor({ url: "http://127.0.0.1:1", apiKey: "k", retries: 0 }).webhooks.list()),
  "does not wait for an answer without an end": () =>
    refusal(
      createCorridor({ url: `${FLAKY_URL}/endless`, apiKey: API_KEY, retries: 0, timeout: 1000 }).webhooks.list()
    ),
  "is not led astray by nested brackets": () =>
    refusal(createCorridor({ url: `${FLAKY_URL}/nested`, apiKey: API_KEY }).webhooks.list()),
  "follows no redirect": () => refusal(createCorridor({ url: `${FLAKY_URL}/moved`, apiKey: API_KEY }).webhooks.list()),
  "has no answer for a removal": async () => {
    const { data } = await corridor.apiKeys.create({ payload: { name: "Old", role: "member" } })
    return (await corridor.apiKeys.revoke({ path: { api_key_id: data.api_key_id } })) ?? null
  },
  "sends no empty id": async () => {
    const outcomes = []
    for (const payment_id of ["", "..", undefined])
      outcomes.push(await corridor.payments.byId({ path: { payment_id } }).catch((error) => error.name))
    return outcomes
  }
}

for (const [name, scenario] of Object.entries(scenarios))
  process.stdout.write(`${JSON.stringify([name, await scenario()])}\n`)
