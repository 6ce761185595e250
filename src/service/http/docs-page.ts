/** The page of Swagger UI. @param folder its files, relative to the address that the page was asked for with. */
export const docsPage = (folder: string) => `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Swagger UI</title>
  <link rel="stylesheet" href="${folder}swagger-ui.css">
  <link rel="icon" type="image/png" href="${folder}favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="${folder}favicon-16x16.png" sizes="16x16">
  <style>
    body { margin: 0; background: #fafafa; }
    .swagger-ui .topbar .download-url-wrapper { display: none; }
  </style>
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="${folder}swagger-ui-bundle.js"></script>
  <script src="${folder}swagger-ui-standalone-preset.js"></script>
  <script src="${folder}swagger-ui-init.js"></script>
</body>
</html>
`;

/** The script that opens the document beside it. */
export const DOCS_SCRIPT = `SwaggerUIBundle({
  url: new URL('openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  layout: 'StandaloneLayout',
});
`;
