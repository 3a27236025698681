<?php

declare(strict_types=1);

use App\Http\Controllers\PayrexWebhookController;
use Illuminate\Support\Facades\Route;

// In routes/api.php there is no check for forged forms, which would answer every delivery with 419. The address is /api/webhooks/payrex.
Route::post('/webhooks/payrex', PayrexWebhookController::class);
