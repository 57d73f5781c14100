"""What a program does with corridor-client; test/client/support/scenarios.mjs does the same in JavaScript."""

import json
import os
import uuid
from decimal import Decimal

from corridor import Corridor, CorridorError, WebhookRefused, verify_webhook

URL, FLAKY_URL, API_KEY, ORG_ID = (os.environ[name] for name in ("URL", "FLAKY_URL", "API_KEY", "ORG_ID"))
corridor = Corridor(f"{URL}/v1", api_key=API_KEY)
as_staff = Corridor(URL, token=lambda: os.environ["STAFF_JWT"])
flaky = Corridor(FLAKY_URL, api_key=API_KEY)

ORDER = {
    "amount": 1500,
    "currency": "KES",
    "target_amount": 1500,
    "target_currency": "KES",
    "payment_method": "mobile_money",
    "direction": "payin",
    "country": "KE",
    "payer_details": {"name": "Wanjiru Kamau", "email": "wanjiru@example.com", "phone": "+254712345678"},
    "mobile_money_details": {"provider": "mpesa", "phone_number": "+254712345678"},
}


def answering(first):
    """Through a proxy whose first answer has this status, with this Retry-After."""
    return Corridor(f"{FLAKY_URL}/{first}", api_key=API_KEY)


def text(amount):
    assert isinstance(amount, Decimal), repr(amount)
    return f"{amount:.2f}"


def refusal(call):
    try:
        call()
        return "done"
    except CorridorError as error:
        return {"status": error.status, "code": error.code, "field": error.field}


def payin():
    amounts = {"amount": Decimal("1500.50"), "target_amount": Decimal("1500.5")}
    response = corridor.payments_init.initiate({**ORDER, **amounts})["response"]
    payment = corridor.payments.by_id(response["payment_id"])
    return [response["status"], text(payment["amount"]), payment["currency"]]


def declined_payout():
    details = {"provider": "mpesa", "phone_number": "+254712340001"}
    beneficiary = corridor.beneficiaries.create(
        {
            "account_type": "mobile_money",
            "beneficiary_type": "individual",
            "country": "KE",
            "currency": "KES",
            "fname": "Otieno",
            "lname": "Odhiambo",
            "momo_details": details,
        }
    )
    payout = {name: value for name, value in ORDER.items() if name != "payer_details"}
    payout.update(
        direction="payout", beneficiary_id=beneficiary["data"]["beneficiary_id"], mobile_money_details=details
    )
    return refusal(lambda: corridor.payments_init.initiate(payout))


def pages():
    for name in ("One", "Two", "Three"):
        corridor.api_keys.create({"name": name, "role": "member"})
    names = [key["name"] for key in corridor.api_keys.all(limit=2)]
    return [names[:3], sorted(member["role"] for member in corridor.members.all(ORG_ID, limit=1))]


def pay(**about):
    return corridor.payments_init.initiate(ORDER, **about)["response"]["payment_id"]


def same_key():
    key = str(uuid.uuid4())
    first, again, other = pay(idempotency_key=key), pay(idempotency_key=key), pay()
    return [first == again, first == other]


def another_body():
    key = str(uuid.uuid4())
    pay(idempotency_key=key)
    other = {**ORDER, "amount": 1600, "target_amount": 1600}
    return refusal(lambda: corridor.payments_init.initiate(other, idempotency_key=key))


def webhooks():
    found = {}
    for name, about in json.loads(os.environ["DELIVERY"]).items():
        only = {"only": about["only"]} if about.get("only") else {}
        try:
            event = verify_webhook(
                about["body"].encode(), about["headers"], about["secret"], now=about["now"], **only
            )
            found[name] = f"{event['event_type']} {text(event['data']['amount'])}"
        except WebhookRefused as refused:
            found[name] = str(refused).split(" ")[0]
    return found


def locked_rate():
    rate = corridor.rates.lookup(from_currency="KES", to_currency="USD", amount=Decimal(1500))["data"]
    cross = {name: rate[name] for name in ("target_amount", "org_rate_id")}
    response = corridor.payments_init.initiate({**ORDER, **cross, "target_currency": "USD"})["response"]
    payment = corridor.payments.by_id(response["payment_id"])
    return [response["status"], payment["target_amount"] == rate["target_amount"], text(payment["amount"])]


def digits():
    account = as_staff.virtual_accounts.create({"org_id": ORG_ID, "user_id": os.environ["STAFF_ID"], "currency": "KES"})
    account_id = account["data"]["account_id"]
    found = []
    for amount in ("0.10", "12345678901.23", "0.2"):
        deposit = corridor.virtual_accounts.simulate_deposit(account_id, {"amount": Decimal(amount)})
        found.append(text(deposit["data"]["amount"]))
    return [*found, text(corridor.virtual_accounts.get(account_id)["data"]["balance"])]


def removal():
    key = corridor.api_keys.create({"name": "Old", "role": "member"})
    return corridor.api_keys.revoke(key["data"]["api_key_id"])


def empty_ids():
    outcomes = []
    for payment_id in ("", "..", None):
        try:
            outcomes.append(corridor.payments.by_id(payment_id))
        except TypeError as error:
            outcomes.append(type(error).__name__)
    return outcomes


def told_key():
    initiate = answering("504").payments_init.initiate
    try:
        return initiate(ORDER)
    except CorridorError as error:
        again = initiate(ORDER, idempotency_key=error.idempotency_key)
        return [error.status, again["response"]["status"]]


SCENARIOS = {
    "payin": payin,
    "payout that is declined": declined_payout,
    "pages, by both names of the cursor": pages,
    "the same key is the same payment": same_key,
    "another body with the same key": another_body,
    "retries a payment after 503 and a lost answer": lambda: flaky.payments_init.initiate(ORDER)["response"]["status"],
    "retries a read after 503 and a lost answer": lambda: flaky.webhooks.list()["status"],
    "sends what no key protects once": lambda: refusal(
        lambda: flaky.api_keys.create({"name": "Till", "role": "member"})
    ),
    "waits after 429, also without a key": lambda: answering("429-0").api_keys.create(
        {"name": "Till", "role": "member"}
    )["data"]["name"],
    "waits while the first request with its key is running": lambda: answering("409-0").payments_init.initiate(ORDER)[
        "response"
    ]["status"],
    "does not wait for an hour": lambda: refusal(answering("503-3600").webhooks.list),
    "does not read a wait of thousands of digits": lambda: refusal(answering(f"503-{'9' * 5000}").webhooks.list),
    "takes a refusal as it is": lambda: refusal(answering("500").webhooks.list),
    "returns the key of a payment whose outcome is not known": told_key,
    "verifies webhooks": webhooks,
    "locks a rate for a payment in another currency": locked_rate,
    "names the field of a bad request": lambda: refusal(
        lambda: corridor.payments_init.initiate({**ORDER, "amount": Decimal(-1)})
    ),
    "keeps every digit of an amount": digits,
    "is refused without a valid key": lambda: refusal(Corridor(URL, api_key="ck_test_wrong").webhooks.list),
    "needs an answer": lambda: refusal(Corridor("http://127.0.0.1:1", api_key="k", retries=0).webhooks.list),
    "does not wait for an answer without an end": lambda: refusal(
        Corridor(f"{FLAKY_URL}/endless", api_key=API_KEY, retries=0, timeout=1).webhooks.list
    ),
    "is not led astray by nested brackets": lambda: refusal(Corridor(f"{FLAKY_URL}/nested", api_key=API_KEY).webhooks.list),
    "follows no redirect": lambda: refusal(Corridor(f"{FLAKY_URL}/moved", api_key=API_KEY).webhooks.list),
    "has no answer for a removal": removal,
    "sends no empty id": empty_ids,
}

for name, scenario in SCENARIOS.items():
    print(json.dumps([name, scenario()]))
