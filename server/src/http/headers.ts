// The security headers, on every answer including errors.
import { createHash } from 'node:crypto'
import type { Config } from '../platform/process/config.ts'

/** The inline scripts of a page as CSP sources, so that these alone may run (the theme before the first paint). */
function inlineScriptSources(html: string): string[] {
  const scripts = html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi)
  return [...scripts].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
}

/** Names and values; `indexHtml` is the console's page, or empty without one. */
export function securityHeaders(publicUrl: Config['publicUrl'], indexHtml: string): Record<string, string> {
  const isHttps = publicUrl?.protocol === 'https:'
  const policy = [
    `default-src 'self'`,
    `script-src ${["'self'", ...inlineScriptSources(indexHtml)].join(' ')}`,
    // Menus and dialogs are positioned by style attributes and elements; styles cannot run code.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    ...(isHttps ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : {}),
  }
}
