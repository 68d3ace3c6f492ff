// Requests flags through every official client for Node and browsers.
// Input: {host, token, origin, people: [{distinct_id, properties}], flags: {key: type}, change?, only?: [client]}
// Output: {values: {client: {distinct_id: {key: value}}}, errors: {client: [text]}, devices: {distinct_id: id}}
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { JSDOM } from "jsdom"
import { OFREPProvider } from "@openfeature/ofrep-provider"
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider"
import { OpenFeature as ServerFeatures } from "@openfeature/server-sdk"
import { OpenFeature as WebFeatures } from "@openfeature/web-sdk"
import { EventSource } from "eventsource"
import { PostHog } from "posthog-node"

const { host, token, origin, people, flags, change, only } = JSON.parse(readFileSync(0, "utf8"))
const values = {}
const errors = {}
const devices = {}

function keep(client, person, all) {
  values[client] ??= {}
  values[client][person.distinct_id] = all
}

function note(client, error) {
  errors[client] ??= []
  errors[client].push(String(error?.message ?? error))
}

async function node(name, options) {
  const client = new PostHog(token, { host, ...options })
  client.on("error", (error) => note(name, error))
  if (options.personalApiKey) await client.waitForLocalEvaluationReady(10_000)
  for (const person of people) {
    keep(name, person, await client.getAllFlags(person.distinct_id, { personProperties: person.properties }))
  }
  client.capture({ distinctId: "ann", event: "checked" })
  await client.shutdown()
}

async function browser() {
  const dom = new JSDOM("<!doctype html>", { url: `${origin}/`, pretendToBeVisual: true })
  const names = ["window", "document", "navigator", "location", "XMLHttpRequest", "localStorage", "history", "screen"]
  for (const name of names) {
    Object.defineProperty(globalThis, name, { value: dom.window[name], configurable: true, writable: true })
  }
  dom.window.fetch = (input, init) => fetch(input, { ...init, headers: { ...init?.headers, Origin: origin } })
  const loaded = await import("posthog-js")
  const posthog = loaded.default?.default ?? loaded.default
  for (const person of people.slice(0, 10)) {
    const all = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("posthog-js got no flags")), 10_000)
      posthog.init(
        token,
        {
          api_host: host,
          bootstrap: { distinctID: person.distinct_id, isIdentifiedID: true },
          persistence: "memory",
          persistence_name: person.distinct_id,
          autocapture: false,
          capture_pageview: false,
          disable_session_recording: true,
          disable_compression: false,
          advanced_disable_feature_flags_on_first_load: true,
          loaded: (instance) => {
            instance.setPersonPropertiesForFlags(person.properties, false)
            instance.onFeatureFlags((_keys, variants, context) => {
              if (context?.errorsLoading) reject(new Error("posthog-js reports errors"))
              clearTimeout(timer)
              devices[person.distinct_id] = instance.get_property("$device_id")
              resolve({ ...variants })
            })
            instance.reloadFeatureFlags()
          },
        },
        `of-${person.distinct_id}`,
      )
    })
    keep("posthog-js", person, all)
  }
  dom.window.close()
}

async function read(client, context) {
  const all = {}
  for (const [key, type] of Object.entries(flags)) {
    const details =
      type === "boolean"
        ? await client.getBooleanDetails(key, false, context)
        : type === "string"
          ? await client.getStringDetails(key, "", context)
          : await client.getObjectDetails(key, {}, context)
    // Where the server leaves the value to the program, and where it cannot decide, this is the default.
    all[key] = details.value
  }
  return all
}

async function ofrepServer() {
  await ServerFeatures.setProviderAndWait(new OFREPProvider({ baseUrl: host }))
  const client = ServerFeatures.getClient()
  for (const person of people.slice(0, 5)) {
    keep("ofrep", person, await read(client, { targetingKey: person.distinct_id, ...person.properties }))
  }
}

async function ofrepWeb() {
  globalThis.EventSource = EventSource
  const provider = new OFREPWebProvider({ baseUrl: host, cacheMode: "disabled" })
  let client
  for (const person of people) {
    await WebFeatures.setContext({ targetingKey: person.distinct_id, ...person.properties })
    if (!client) {
      await WebFeatures.setProviderAndWait(provider)
      client = WebFeatures.getClient()
    }
    keep("ofrep-web", person, await read(client))
  }
  if (change) values.seconds = await secondsUntilChange(client)
}

// A change reaches the client by the stream of events.
async function secondsUntilChange(client) {
  await new Promise((resolve) => setTimeout(resolve, 300))
  const response = await fetch(`${host}/flagtui/mirror/set`, {
    method: "POST",
    headers: { Authorization: `Bearer ${change.secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ overrides: [`${change.key}=${change.word}`] }),
  })
  if (!response.ok) throw new Error(`set: ${response.status}`)
  const began = performance.now()
  while (client.getBooleanValue(change.key, false) !== true) {
    if (performance.now() - began > 10_000) throw new Error("the change did not arrive")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return (performance.now() - began) / 1000
}

for (const [name, work] of [
  ["posthog-node", () => node("posthog-node", {})],
  ["posthog-node local", () => node("posthog-node local", { personalApiKey: "phx_any", featureFlagsPollingInterval: 60_000 })],
  ["ofrep", ofrepServer],
  ["ofrep-web", ofrepWeb],
  ["posthog-js", browser],
]) {
  if (only && !only.includes(name)) continue
  try {
    await work()
  } catch (error) {
    note(name, error)
  }
}
process.stdout.write(JSON.stringify({ values, errors, devices }), () => process.exit(0))
