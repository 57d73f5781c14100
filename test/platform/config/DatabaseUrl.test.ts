import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { databaseHosts, firstHost } from "../../../src/platform/config/DatabaseUrl.ts"

describe("The address of a database", () => {
  it("is one URL for each host, with everything else of it", () => {
    const text = "postgresql://corridor:pa%40ss@a.example:5432,b.example:5433,[::1]:5434/money?sslmode=require"
    expect(databaseHosts(text)).toEqual(
      Either.right([
        "postgresql://corridor:pa%40ss@a.example:5432/money?sslmode=require",
        "postgresql://corridor:pa%40ss@b.example:5433/money?sslmode=require",
        "postgresql://corridor:pa%40ss@[::1]:5434/money?sslmode=require"
      ])
    )
    expect(firstHost(text).pathname).toBe("/money")
  })

  it("is looked for where writes are taken, whether that is said or not", () => {
    const text = "postgres://u@a:1,b:2/d?target_session_attrs=read-write&sslmode=disable"
    expect(databaseHosts(text)).toEqual(
      Either.right(["postgres://u@a:1/d?sslmode=disable", "postgres://u@b:2/d?sslmode=disable"])
    )
    expect(Either.getLeft(databaseHosts("postgres://u@a/d?target_session_attrs=standby"))).toMatchObject({
      value: expect.stringContaining("read-write")
    })
  })

  it.each([
    "mysql://a/b",
    "postgres",
    "postgres://u:hunter2@a:1,,b:2/d",
    "postgres://u:hunter2@a:port/d",
    "postgres://a b/c"
  ])("is refused without a word of it: %s", (text) => {
    const refused = databaseHosts(text)
    expect(Either.isLeft(refused)).toBe(true)
    expect(JSON.stringify(refused)).not.toContain("hunter2")
  })
})
