import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressedFiles } from './compressed-files.ts'
import { firstPageBudget } from './first-page-budget.ts'
import { firstScripts, scriptGroups, shellFiles, visitorFiles } from './script-groups.ts'
import { withoutJsonSchema } from './without-json-schema.ts'
import { withoutSummaries } from './without-summaries.ts'

// The first page of a visitor, and of a signed-in person.
const firstPages = [
  { files: visitorFiles, bytesMax: 170_000 },
  { files: shellFiles, bytesMax: 230_000 },
]
// The gateway refuses writing calls whose Origin is not their Host (server/src/http/origin.ts), so the Host stays.
const proxy = {
  '/api': { target: `http://127.0.0.1:${process.env['HTTP_PORT'] ?? 8080}`, changeOrigin: false },
}

/** The two Latin fonts are on every screen, so they are fetched with the page and not after the stylesheet. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => /geist(-mono)?-latin-wght-normal-[^/]*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head' as const,
          })),
    },
  }
}

// Every component on one page of its own, for e2e/gallery.walk.e2e.ts.
const gallery = defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), tailwindcss()],
  build: { assetsInlineLimit: 0, rolldownOptions: { input: join(import.meta.dirname, 'gallery.html') } },
})

const wholeConsole = defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwindcss(),
    preloadFonts(),
    withoutJsonSchema(),
    withoutSummaries(),
    compressedFiles(),
    firstPageBudget(firstPages),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: {
      // A script asks for what it needs at the same time as for itself, but not for what runs already.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'js' ? files.filter((file) => !firstScripts.test(file)) : files,
    },
    rolldownOptions: {
      // Advice about the build is for nobody who starts Tollgate.
      checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
      output: {
        codeSplitting: { groups: scriptGroups },
      },
    },
  },
  server: { host: '127.0.0.1', proxy },
  preview: { host: '127.0.0.1', proxy },
})

export default defineConfig(({ mode }) => (mode === 'gallery' ? gallery : wholeConsole))
