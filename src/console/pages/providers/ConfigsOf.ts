/** Which configurations a payment of somebody's can go by. */
import { call, type Request } from "../../api/Api.ts"
import type { Config } from "./Names.ts"

type Wanted = NonNullable<Request<"providerConfigs", "list">["urlParams"]>

interface Listed {
  readonly data: ReadonlyArray<Config>
  readonly last_evaluated_key: string | null
}

const PAGE = 25
const MOST = 100

const pageOf = (urlParams: Wanted, signal: AbortSignal): Promise<Listed> =>
  call("providerConfigs", "list", { urlParams }, { signal })

/** The list of all also has the ones of other organisations: it is read on until one for everybody comes. */
const forEverybody = async (wanted: Wanted, cursor: string | undefined, signal: AbortSignal): Promise<Listed> => {
  const page = await pageOf({ ...wanted, limit: MOST, last_evaluated_key: cursor }, signal)
  const data = page.data.filter(({ org_id }) => org_id === null)
  return data.length > 0 || page.last_evaluated_key === null
    ? { ...page, data }
    : forEverybody(wanted, page.last_evaluated_key, signal)
}

/** Its own first, which are asked first; then those for everybody. */
const ofOne = async (org: string, wanted: Wanted, cursor: string | undefined, signal: AbortSignal): Promise<Listed> => {
  const [own, everybody] = await Promise.all([
    cursor === undefined ? pageOf({ ...wanted, org_id: org, limit: MOST }, signal) : undefined,
    forEverybody(wanted, cursor, signal)
  ])
  return { ...everybody, data: [...(own?.data ?? []), ...everybody.data] }
}

export const configsOf = (
  org: string | undefined,
  wanted: Wanted,
  cursor: string | undefined,
  signal: AbortSignal
): Promise<Listed> =>
  org === undefined
    ? pageOf({ ...wanted, limit: PAGE, last_evaluated_key: cursor }, signal)
    : ofOne(org, wanted, cursor, signal)
