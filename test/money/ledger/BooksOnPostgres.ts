/** The books on a database of their own, with the database itself at hand. */
import { Layer } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

export const onDatabase = { excludeTestServices: true, timeout: "60 seconds" } as const

export const BooksOnPostgres = (variables: Variables = {}) =>
  StoresLive.pipe(
    Layer.provideMerge(TestDatabase),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(testSettings(variables))
  )
