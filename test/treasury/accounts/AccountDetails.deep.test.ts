/** The real server beside fakes of Paystack and Stripe: details, transfers, kill -9, and the books against the fakes. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { databaseOf, type RealServer, until } from "../../payments/support/RealServer.ts"
import { besideFakes, booksAgree, requestTo, sandboxIn } from "../../providers/support/ServerWithFakes.ts"

const { begin, dataDir } = besideFakes(["paystack", "stripe"], {})

interface Account {
  readonly account_id: string
  readonly balance: number
  readonly provider: string
  readonly details_status: string
  readonly details: Readonly<Record<string, string>> | null
}

it("details are issued and transfers credited once, also if the server is killed meanwhile", async () => {
  const { fakes, start } = await begin()
  let server: RealServer = await start()
  const { org_id } = sandboxIn(dataDir)
  const [org] = (
    JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
      readonly orgs: ReadonlyArray<{ readonly users: ReadonlyArray<{ readonly user_id: string }> }>
    }
  ).orgs
  const key = { "x-api-key": server.apiKey }

  const get = async (accountId: string): Promise<Account | undefined> => {
    const answer = await fetch(`${server.url}/v1/virtual-accounts/${accountId}`, {
      headers: { authorization: "NONE", ...key }
    }).catch(() => undefined)
    return answer?.status === 200 ? ((await answer.json()) as { readonly data: Account }).data : undefined
  }

  const open = async (currency: string): Promise<Account> => {
    const body = {
      ...{ org_id, user_id: org!.users[0]!.user_id, currency, payment_rail: "bank_transfer" },
      holder: { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" }
    }
    const answer = await requestTo(server)("/virtual-accounts/internal/bank", body, key)
    const { data } = (await answer.json()) as { readonly data: Account }
    return until(`details in ${currency}`, async () => {
      const account = await get(data.account_id)
      return account?.details_status === "issued" ? account : undefined
    })
  }

  const [paystack, stripe] = ["paystack", "stripe"].map((name) => fakes.find(({ fake }) => fake.name === name)!)
  const naira = await open("NGN")
  const euros = await open("EUR")
  expect([naira.provider, euros.provider]).toEqual(["paystack", "stripe"])
  expect(naira.details?.["account_number"]).toMatch(/^\d{10}$/)
  expect(euros.details?.["account_number"]).toMatch(/^IE/)

  const toNaira = (reference: string, amount: string) =>
    fetch(`${paystack!.running.url}/demo-bank/transfers`, {
      method: "POST",
      headers: { authorization: "Bearer sk_test_corridor_fake", "content-type": "application/json" },
      body: JSON.stringify({ account_number: naira.details!["account_number"], amount, sender: "Chidi", reference })
    })
  const customer = stripe!.running.received
    .map(({ path }) => /^\/v1\/customers\/(cus_\w+)\/funding_instructions$/.exec(path)?.[1])
    .find((one) => one !== undefined)!
  const toEuros = (amount: string) =>
    fetch(`${stripe!.running.url}/v1/test_helpers/customers/${customer}/fund_cash_balance`, {
      method: "POST",
      headers: {
        authorization: "Bearer sk_test_fake_of_corridor",
        "content-type": "application/x-www-form-urlencoded"
      },
      body: new URLSearchParams({ amount, currency: "eur" }).toString()
    })

  await toNaira("demo-1", "150000")
  await toEuros("70000")
  const reaches = ({ account_id }: Account, balance: number) =>
    until(`${balance} on the account`, async () => ((await get(account_id))?.balance === balance ? true : undefined))
  await reaches(naira, 1500)
  await reaches(euros, 700)

  // Sends these while the server is down: their callbacks fail, and the list finds them.
  await server.kill()
  await toNaira("demo-2", "20000")
  await toEuros("30000")
  server = await start()
  await reaches(naira, 1700)
  await reaches(euros, 1000)
  await until("Stripe's cash balance is moved on", async () => {
    const cash = await fetch(`${stripe!.running.url}/v1/customers/${customer}/cash_balance`, {
      headers: { authorization: "Bearer sk_test_fake_of_corridor" }
    })
    const { available } = (await cash.json()) as { readonly available: Readonly<Record<string, number>> }
    return available["eur"] === 0 ? true : undefined
  })
  await booksAgree(databaseOf(dataDir), fakes)
}, 240_000)
