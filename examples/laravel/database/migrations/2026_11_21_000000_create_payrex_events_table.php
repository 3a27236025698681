<?php

declare(strict_types=1);

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        Schema::create('payrex_events', function (Blueprint $table): void {
            // The event's own id: that it is unique is what keeps an event from being acted on twice.
            $table->string('id')->primary();
            $table->timestamp('received_at');
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('payrex_events');
    }
};
