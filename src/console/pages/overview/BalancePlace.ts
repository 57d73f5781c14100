const places: Readonly<Record<string, string>> = {
  virtual: "accounts",
  escrow: "escrow",
  ramp: "payments",
  clearing: "payments"
}

interface Place {
  readonly path: string
  readonly id: string
}

/** Where the console shows what lies on an account of the books, by the account's name there. */
export const placeOf = (account: string): Place | undefined => {
  const [kind = "", id = ""] = account.split("/")
  const page = places[kind]
  return page === undefined ? undefined : { path: `${page}/${id}`, id }
}
